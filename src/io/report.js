// Draws the charts of the page with plotly.js, which the page carries compressed.
(async () => {
  "use strict";
  const charts = JSON.parse(document.getElementById("charts").textContent);
  if (charts.length === 0) return;
  const root = document.documentElement;
  const plots = charts.map((_, i) => document.getElementById("chart-" + i));

  const loadPlotly = async () => {
    const packed = atob(document.getElementById("plotly").textContent);
    const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  };

  // Every "var(--name)" in a chart becomes that variable's value in the present theme.
  const variable = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const themed = (value) => {
    if (typeof value === "string") {
      return value.replace(/^var\((--[\w-]+)\)$/, (_, name) => variable(name));
    }
    if (Array.isArray(value)) return value.map(themed);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, themed(v)]));
  };

  // Columns of eight corners and twelve triangles, each in the colour of its height, on a floor.
  // Entries too small to see are left out.
  const city = ({ z, labels, colorscale, cmin, cmax }) => {
    const mesh = { x: [], y: [], z: [], i: [], j: [], k: [], intensity: [], text: [] };
    const faces = [[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6], [0, 5, 1], [0, 4, 5],
                   [1, 6, 2], [1, 5, 6], [2, 7, 3], [2, 6, 7], [3, 4, 0], [3, 7, 4]];
    const half = 0.38;
    z.forEach((row, y) => row.forEach((height, x) => {
      if (Math.abs(height) < 0.01 * cmax) return;
      const first = mesh.x.length;
      for (const end of [0, height]) {
        for (const [dx, dy] of [[-half, -half], [half, -half], [half, half], [-half, half]]) {
          mesh.x.push(x + dx);
          mesh.y.push(y + dy);
          mesh.z.push(end);
          mesh.intensity.push(height);
          mesh.text.push(`row ${labels[y]}, column ${labels[x]}<br>${height.toFixed(4)}`);
        }
      }
      for (const [a, b, c] of faces) {
        mesh.i.push(first + a);
        mesh.j.push(first + b);
        mesh.k.push(first + c);
      }
    }));
    const [near, far] = [-0.6, z.length - 0.4];
    const floor = { type: "mesh3d", x: [near, far, far, near], y: [near, near, far, far],
                    z: [0, 0, 0, 0], i: [0, 0], j: [1, 2], k: [2, 3], color: variable("--muted"),
                    opacity: 0.16, hoverinfo: "skip" };
    const columns = { type: "mesh3d", ...mesh, colorscale, cmin, cmax, flatshading: true,
                      showscale: false, hoverinfo: "text",
                      lighting: { ambient: 0.85, diffuse: 0.4, specular: 0.05, roughness: 0.9 },
                      lightposition: { x: 2000, y: -4000, z: 6000 } };
    return mesh.x.length === 0 ? [floor] : [floor, columns];
  };

  // Round heights but 0, which the labels of the floor stand beside.
  const heightTicks = ([low, high]) => {
    const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((s) => s * power >= rough) * power;
    const ticks = [];
    for (let k = Math.ceil(low / step); k * step <= high; ++k) if (k !== 0) ticks.push(k * step);
    return ticks;
  };

  const sceneOf = ({ labels }, { scene }, width) => {
    const step = Math.ceil(labels.length / (width < 460 ? 4 : 8));
    const places = labels.map((_, i) => i).filter((i) => i % step === 0);
    const look = { title: { text: "" }, gridcolor: variable("--grid"), showbackground: false,
                   zerolinecolor: variable("--grid"), linecolor: variable("--grid"),
                   showspikes: false, tickfont: { size: 11, color: variable("--muted") } };
    const floor = { ...look, tickvals: places, ticktext: places.map((i) => labels[i]) };
    const ends = [-0.6, labels.length - 0.4];
    const distance = width < 460 ? 1.45 : 1.08;  // a narrow view needs more of it
    return { aspectmode: "manual", aspectratio: { x: 1.2, y: 1.2, z: 0.8 },
             camera: { eye: { x: 1.2 * distance, y: -1.4 * distance, z: 0.85 * distance },
                       center: { x: 0, y: 0, z: -0.2 } },
             dragmode: "turntable", xaxis: { ...floor, range: ends },
             yaxis: { ...floor, range: [ends[1], ends[0]] },
             zaxis: { ...look, tickvals: heightTicks(scene.zaxis.range), ...scene.zaxis } };
  };

  // On a log axis a tick at every power of ten, or every few; over less than two of them at 1, 2
  // and 5, or where plotly.js sets them.
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const power = (p) => p === 0 ? "1" : p === 1 ? "10" :
    "10" + (p < 0 ? "⁻" : "") + [...String(Math.abs(p))].map((d) => digits[d]).join("");
  const logTicks = (data, coordinate) => {
    const logs = data.flatMap((trace) => trace[coordinate].filter((v) => v > 0)).map(Math.log10);
    const low = Math.min(...logs), high = Math.max(...logs);
    if (!(high - low >= 2)) {
      const values = [];
      for (let p = Math.floor(low); p <= high; ++p) {
        values.push(...[1, 2, 5].map((digit) => Number(`${digit}e${p}`)));
      }
      const room = 0.05, inside = (v) => low - room <= Math.log10(v) && Math.log10(v) <= high + room;
      const ticks = values.filter(inside), plain = low >= -4 && high <= 5;
      return ticks.length < 2 || !plain ? { dtick: "D2" }
                                        : { tickvals: ticks, ticktext: ticks.map(String) };
    }
    const step = Math.ceil((high - low) / 5);
    const powers = [];
    for (let p = Math.ceil(low / step) * step; p <= high + 0.1; p += step) powers.push(p);
    return { tickvals: powers.map((p) => 10 ** p), ticktext: powers.map(power) };
  };

  const axisOf = (given = {}, data, coordinate) => ({
    gridcolor: variable("--grid"), linecolor: variable("--line"), zeroline: false,
    automargin: true, exponentformat: "power", tickfont: { size: 12, color: variable("--muted") },
    ...(given.type === "log" ? logTicks(data, coordinate) : {}),
    ...given,
    title: { standoff: 10, font: { size: 13 }, text: "", ...given.title },
  });

  // A square of cells with room for its labels and the scale, in the middle of its place.
  const squareMargins = (labels, plot, width) => {
    const room = 14 + 7.2 * Math.max(...labels.map((label) => [...label].length));
    const top = labels.length > 4 ? room : 28, scale = 62;
    const side = Math.min(width - room - scale, 440);
    const slack = (width - room - scale - side) / 2;
    plot.style.height = `${side + top + 12}px`;
    return { l: room + slack, r: scale + slack, t: top, b: 12 };
  };

  const touch = matchMedia("(pointer: coarse)").matches;
  const figureOf = (chart, plot) => {
    const { data, layout } = themed(chart);
    const width = plot.clientWidth;
    const common = {
      autosize: true, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 13,
              color: variable("--text") },
      margin: { l: 8, r: 12, t: 8, b: 8 },
      hoverlabel: { bgcolor: variable("--surface"), bordercolor: variable("--line"),
                    font: { color: variable("--text") } },
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { size: 12 } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: variable("--muted"),
                 activecolor: variable("--text") },
      showlegend: false,
      dragmode: touch ? false : "zoom",  // a finger scrolls the page
      ...layout,
    };
    const kind = data[0].type;
    if (kind === "city") {
      plot.style.height = `${Math.min(460, width)}px`;
      return { data: city(data[0]), layout: { ...common, margin: { l: 0, r: 0, t: 0, b: 0 },
                                              scene: sceneOf(data[0], layout, width) } };
    }
    if (kind === "heatmap") common.margin = squareMargins(data[0].x, plot, width);
    const axes = { xaxis: axisOf(layout.xaxis, data, "x"), yaxis: axisOf(layout.yaxis, data, "y") };
    if (kind === "heatmap") axes.xaxis.automargin = axes.yaxis.automargin = false;
    return { data, layout: { ...common, ...axes } };
  };

  const config = { displaylogo: false, displayModeBar: touch ? false : "hover",
                   modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
                   toImageButtonOptions: { format: "svg" } };
  const draw = async (i) => {
    const figure = figureOf(charts[i], plots[i]);
    await Plotly.react(plots[i], figure.data, figure.layout, config);
  };
  // What is folded away has no width yet; it is drawn when the reader opens it.
  const isShown = (i) => plots[i].clientWidth > 0;
  const drawAll = async () => {
    for (let i = 0; i < charts.length; ++i) {
      if (isShown(i)) await draw(i);
      await new Promise((resume) => setTimeout(resume));  // the page stays responsive
    }
  };
  // data-charts tells a test, or a page around this one, when everything stands.
  let waiting = 0;
  const begin = () => {
    ++waiting;
    root.dataset.charts = "drawing";
  };
  const end = () => {
    if (--waiting === 0) root.dataset.charts = "drawn";
  };
  let last = Promise.resolve();
  const inTurn = (work) => {
    begin();
    last = last.then(work).then(end);
    return last;
  };
  const redraw = () => inTurn(drawAll);

  // Browsers print a WebGL canvas blank: printers get a still picture of it in the print theme.
  const makeStills = async () => {
    for (const [i, chart] of charts.entries()) {
      if (chart.data[0].type !== "city" || !isShown(i)) continue;
      const { height } = plots[i].style;  // that of the screen, which the figure below changes
      root.dataset.theme = "print";
      const figure = figureOf(chart, plots[i]);
      delete root.dataset.theme;
      plots[i].style.height = height;
      const still = new Image();
      still.className = "still";
      still.alt = "";
      still.src = await Plotly.toImage({ ...figure, config },
                                       { format: "png", width: 520, height: 460, scale: 2 });
      plots[i].append(still);
      plots[i].classList.add("has-still");
    }
  };

  try {
    await loadPlotly();
    await inTurn(async () => {
      await drawAll();
      await makeStills();
    });
  } catch (error) {
    for (const plot of plots) {
      if (plot.classList.contains("js-plotly-plot")) continue;
      plot.textContent = "This chart could not be drawn: the browser may be too old.";
      plot.className = "notice";
    }
    throw error;
  }

  for (const details of document.querySelectorAll("details")) {
    details.addEventListener("toggle", redraw);
  }
  let timer;
  addEventListener("resize", () => {
    if (!timer) begin();
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      redraw();
      end();
    }, 150);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // The print theme has the width of a sheet on the screen already, so that charts fit it.
  addEventListener("beforeprint", () => {
    root.dataset.theme = "print";
    charts.forEach((_, i) => isShown(i) && draw(i));
  });
  addEventListener("afterprint", () => {
    delete root.dataset.theme;
    redraw();
  });
})();
