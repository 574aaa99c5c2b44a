#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "projfgd/io/files.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/png.hpp"
#include "support/hdf5_files.hpp"
#include "support/phase_program.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::Hdf5File;
using test::Outcome;
using test::PhaseProgram;
using test::stars;

TEST_F(PhaseProgram, HelpShowsEveryOptionOfItsOwn) {
  const Outcome help = run("projfgd phase --help");
  EXPECT_EQ(help.code, 0);
  for (const char* option :
       {"--masks", "--mask-values", "--vectors", "--dataset", "--mask-dataset", "--conjugate-masks",
        "--centred", "--support", "--loss", "--target-error", "auto", "Examples:"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(help.out.find("--rank"), std::string::npos);  // 1 is accepted, and says nothing
  EXPECT_NE(run("projfgd simulate cdp --help").out.find("--photons"), std::string::npos);
}

TEST_F(PhaseProgram, WritesTheAgreedFilesAndTheImage) {
  expect_success(stars + "d --patterns 6");
  for (const char* file :
       {"intensities.npy", "masks.npy", "mask_values.npy", "truth.npy", "truth.png"}) {
    EXPECT_TRUE(fs::exists(at("d") / file)) << file;
  }
  EXPECT_EQ(read_npy(at("d/intensities.npy")).shape, (std::vector<Index>{6, 24, 16}));
  expect_success("projfgd phase d --constraint nonnegative --out r");
  const Json record = summary("r");
  EXPECT_EQ(record["status"], "converged");
  EXPECT_LE(error("r"), 1e-5);
  EXPECT_GT(record["psnr"].get<double>(), 100);
  EXPECT_EQ(record["shape"], Json({24, 16}));
  EXPECT_GT(record["transforms"].get<Index>(), 0);
  EXPECT_TRUE(read_file(at("r/trace.csv")).starts_with("iteration,seconds,objective,"));
  EXPECT_TRUE(fs::exists(at("r/report.html")));
  EXPECT_EQ(read_npy(at("r/factor.npy")).shape, (std::vector<Index>{384, 1}));
  const Array signal = read_npy(at("r/signal.npy")), truth = read_npy(at("d/truth.npy"));
  ASSERT_EQ(signal.shape, (std::vector<Index>{24, 16}));
  const Image found = parse_png(read_file(at("r/image.png")), "image.png");
  const double top = *std::max_element(truth.values.begin(), truth.values.end());
  for (std::size_t k = 0; k < truth.values.size(); ++k) {
    EXPECT_NEAR(signal.values[2 * k], truth.values[k], 1e-4);
    EXPECT_NEAR(found.values[k] * top, truth.values[k], 1e-4);  // 16 bits, not 8
  }
}

TEST_F(PhaseProgram, MasksOfEveryFamilyAndSignalsOfOneDimension) {
  for (const char* family : {"octanary", "ternary", "gaussian"}) {
    expect_success(stars + family + " --patterns 10 --masks " + family);
    expect_success(fmt::format("projfgd phase {0} --quiet --out {0}/r", family));
    EXPECT_LE(error(fmt::format("{}/r", family)), 1e-5) << family;
  }
  // Gaussian masks into a folder that has the table of octanary ones.
  expect_success(stars + "octanary --patterns 10 --masks gaussian");
  expect_success("projfgd phase octanary --quiet");
  expect_success("projfgd simulate cdp --size 1x101 --patterns 12 --quiet --out line");
  expect_success("projfgd phase line --constraint nonnegative --quiet --out line/r");
  EXPECT_LE(error("line/r"), 1e-5);
}

TEST_F(PhaseProgram, SinglePrecisionJsonAndThreads) {
  expect_success(stars + "d --patterns 8");
  const Outcome outcome = run("projfgd phase d --precision single --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json record = parse_json(outcome.out, "stdout");
  EXPECT_EQ(record["precision"], "single");
  EXPECT_LE(record["relative_error"].get<double>(), 1e-4);
  for (const char* count : {"1", "2", "4"}) {
    expect_success(fmt::format("projfgd phase d --quiet --threads {0} --out t{0}", count));
  }
  EXPECT_EQ(read_file(at("t1/signal.npy")), read_file(at("t2/signal.npy")));
  EXPECT_EQ(read_file(at("t1/signal.npy")), read_file(at("t4/signal.npy")));
}

TEST_F(PhaseProgram, TheTableSpeaksOfAnImage) {
  expect_success(stars + "d --patterns 8");
  const Outcome outcome = run("projfgd phase d --rank 1 --out r");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("tr X"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("rank"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("relative amplitude residual"), std::string::npos) << outcome.out;
  EXPECT_EQ(summary("r")["rank"], 1);
  EXPECT_TRUE(summary("r").contains("trace"));
  EXPECT_EQ(summary("r")["pattern_misfits"].size(), 8u);
  EXPECT_FALSE(fs::exists(at("r/phase.png")));  // of an image without negative parts
}

TEST_F(PhaseProgram, ALimitIsExitOneWithTheBestImageWritten) {
  expect_success(stars + "d --patterns 8");
  EXPECT_EQ(run("projfgd phase d --method wirtinger-flow --max-iterations 3 --out r").code, 1);
  EXPECT_EQ(summary("r")["status"], "iteration_limit");
  EXPECT_TRUE(fs::exists(at("r/image.png")));
}

TEST_F(PhaseProgram, ASetThatIsNotUsedIsAWarning) {
  expect_success(stars + "d --patterns 8");
  const std::string flow = "projfgd phase d --method wirtinger-flow --constraint nonnegative";
  const Outcome outcome = run(flow + " --max-iterations 3 --json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("projfgd: wirtinger-flow does not support constraints"),
            std::string::npos);
  EXPECT_TRUE(parse_json(outcome.out, "stdout").contains("warnings"));
  EXPECT_EQ(run(flow + " --max-iterations 3 --quiet").err, "");
}

TEST_F(PhaseProgram, AStartFromAFileIsTheSameForEveryMethod) {
  expect_success(stars + "d --patterns 12");
  EXPECT_EQ(run("projfgd phase d --method wirtinger-flow --max-iterations 0 --out start").code, 1);
  const std::string target = " --init start/signal.npy --target-error 1e-4 --tolerance 0 --quiet";
  std::vector<double> first;
  std::vector<Index> transforms;
  for (const char* method : {"wirtinger-flow", "conjugate-gradients", "auto"}) {
    expect_success(fmt::format("projfgd phase d --method {0} --out {0}", method) + target);
    const std::string trace = read_file(at(method) / "trace.csv");
    const std::size_t line = trace.find('\n') + 1;
    first.push_back(std::stod(trace.substr(trace.rfind(',', trace.find('\n', line)) + 1)));
    transforms.push_back(summary(method).at("transforms").get<Index>());
  }
  EXPECT_NEAR(first[1], first[0], 1e-12);
  EXPECT_NEAR(first[2], first[0], 1e-12);
  EXPECT_LE(5 * transforms[1], transforms[0]);
  EXPECT_LE(5 * transforms[2], transforms[0]);
}

TEST_F(PhaseProgram, ColourAndSixteenBitsGoThrough) {
  Image colour{24, 16, 3, {}};
  for (Index k = 0; k < 24 * 16 * 3; ++k) {  // steps of 1 / 65535 that 8 bits would lose
    colour.values.push_back(k % 7 == 0 ? static_cast<double>(20000 + 11 * k) / 65535 : 0);
  }
  folder.file("colour.png", png_bytes(colour, 16));
  expect_success("projfgd simulate cdp --image colour.png --patterns 6 --quiet --out d");
  EXPECT_EQ(read_npy(at("d/intensities.npy")).shape, (std::vector<Index>{3, 6, 24, 16}));
  expect_success("projfgd phase d --constraint nonnegative --tolerance 1e-8 --quiet --out r");
  EXPECT_EQ(read_npy(at("r/signal.npy")).shape, (std::vector<Index>{24, 16, 3}));
  const Image back = parse_png(read_file(at("r/image.png")), "image.png");
  ASSERT_EQ(back.channels, 3);
  const double top = *std::max_element(colour.values.begin(), colour.values.end());
  for (std::size_t k = 0; k < back.values.size(); ++k) {
    ASSERT_NEAR(back.values[k] * top, colour.values[k], 1.0 / 65535) << k;
  }
}

TEST_F(PhaseProgram, WrongDataAreExitTwoAndNothingIsWritten) {
  const std::vector<double> ones(24, 1.0);
  put("y.npy", {2, 4, 3}, ones);
  put("m.npy", {2, 3, 4}, ones);
  put("three.npy", {3, 4, 2}, ones);
  expect_error("projfgd phase y.npy --masks m.npy", 2, "found masks of shape 2 x 3 x 4");
  expect_error("projfgd phase y.npy --masks three.npy", 2, "three.npy");
  for (const double wrong : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::vector<double> values = ones;
    values[7] = wrong;
    put("bad.npy", {2, 4, 3}, values);
    expect_error("projfgd phase bad.npy", 2, "bad.npy: entry");
    if (wrong != -1) expect_error("projfgd phase y.npy --masks bad.npy", 2, "bad.npy: entry");
  }
  put("none.npy", {2, 0, 3}, {});
  expect_error("projfgd phase none.npy", 2, "none.npy: found shape 2 x 0 x 3");
  put("dark.npy", {2, 4, 3}, std::vector<double>(24, 0.0));
  expect_error("projfgd phase dark.npy", 2, "dark.npy: found no intensity above 0");
  expect_error("projfgd phase y.npy --masks dark.npy", 2,
               "dark.npy: found masks that are 0 everywhere");
  write_npy(folder / "complex.npy", Array{{2, 2, 3}, true, ones});
  expect_error("projfgd phase complex.npy", 2, "complex.npy: found complex numbers");
  put("five.npy", {1, 1, 2, 4, 3}, ones);
  expect_error("projfgd phase five.npy", 2, "five.npy: found shape 1 x 1 x 2 x 4 x 3");
  put("codes.npy", {2, 4, 3}, std::vector<double>(24, 8.0));
  put("table.npy", {2}, {1, -1});
  expect_error(
      "projfgd phase y.npy --masks codes.npy --mask-values table.npy", 2,
      "codes.npy: entry [0, 0, 0] is 8, expected a code from 0 to 1, an index into table.npy");
  expect_error("projfgd phase y.npy --masks y.npy --mask-values none.npy", 2,
               "none.npy: found 0 numbers, expected a table of 1 to 256");
  write_npy(folder / "turned.npy", Array{{2, 4, 3}, true, std::vector<double>(48, 1.0)});
  expect_error("projfgd phase y.npy --masks turned.npy --mask-values table.npy", 2,
               "turned.npy: found complex numbers, expected integer codes, which are indices into "
               "table.npy");
  put("a.npy", {5, 2}, std::vector<double>(10, 1.0));
  expect_error("projfgd phase y.npy --vectors a.npy", 2, "found 5 vectors, expected 24");
  put("right.npy", {24, 2}, std::vector<double>(48, 1.0));
  expect_error("projfgd phase y.npy --vectors right.npy --centred", 2, "right.npy: found vectors");
  folder.file("cut.npy", read_file(at("y.npy")).substr(0, 150));
  expect_error("projfgd phase cut.npy", 2, "cut.npy");
  folder.file("picture.png", png_bytes({4, 3, 1, std::vector<double>(12, 1.0)}, 8));
  expect_error("projfgd phase picture.png", 2,
               "found a PNG image, expected an NPY, HDF5 or CXI file");
}

TEST_F(PhaseProgram, WrongOptionsAreExitTwo) {
  put("y.npy", {2, 4, 3}, std::vector<double>(24, 1.0));
  expect_error("projfgd phase", 2, "DATA");
  expect_error("projfgd phase y.npy --method nope", 2, "method");
  expect_error("projfgd phase y.npy --loss nope", 2, "loss");
  expect_error("projfgd phase y.npy --constraint nope", 2, "constraint");
  expect_error("projfgd phase y.npy --rank 2", 2, "rank");
  expect_error("projfgd phase y.npy --device tpu", 2, "auto, cpu, gpu or gpu:K");
  put("a.npy", {24, 2}, std::vector<double>(48, 1.0));  // such rows do not run there, CUDA or not
  expect_error("projfgd phase y.npy --vectors a.npy --device gpu", 2, "--device");
  put("short.npy", {5}, {1, 1, 1, 1, 1});
  expect_error("projfgd phase y.npy --constraint support:short.npy", 2, "short.npy");
  expect_error("projfgd phase y.npy --support short.npy", 2, "short.npy");
  expect_error("projfgd phase y.npy --support none.npy", 3, "none.npy");
  expect_error("projfgd phase y.npy --truth short.npy", 2, "short.npy");
  expect_error("projfgd phase y.npy --init short.npy", 2, "short.npy");
  put("zeros.npy", {4, 3}, std::vector<double>(12, 0.0));
  expect_error("projfgd phase y.npy --truth zeros.npy", 2, "zeros.npy: found only zeros");
  expect_error("projfgd phase y.npy --init zeros.npy", 2, "zeros.npy: found only zeros");
  for (const char* wrong : {"-1", "nan", "inf", "1e309"}) {
    expect_error(fmt::format("projfgd phase y.npy --target-error {}", wrong), 2, "target-error");
  }
}

TEST_F(PhaseProgram, WrongSimulationsWriteNothing) {
  for (const char* size : {"0x8", "8x0", "8", "8x", "x8", "-1x8", "8x8x8", "8x8 --patterns 0"}) {
    expect_error(fmt::format("projfgd simulate cdp --size {}", size), 2, "expected");
  }
  expect_error("projfgd simulate cdp", 2, "size");
  expect_error("projfgd simulate cdp --size 8x8 --masks nope", 2, "masks");
  expect_error("projfgd simulate cdp --size 8x8 --snr nan", 2, "snr");
  expect_error("projfgd simulate cdp --size 8x8 --snr -1e300", 2, "expected less noise");
  expect_error("projfgd simulate cdp --size 8x8 --photons -1", 2, "photons");
  expect_error("projfgd simulate cdp --size 8x8 --lit 2", 2, "lit");
  folder.file("text.png", "no image");
  expect_error("projfgd simulate cdp --image text.png", 2, "text.png");
  const std::string black = png_bytes({8, 8, 1, std::vector<double>(64, 0.0)}, 8);
  folder.file("black.png", black);
  expect_error("projfgd simulate cdp --image black.png", 2,
               "black.png: found an image that is black");
  folder.file("flat.png", black.substr(0, 20) + std::string(4, '\0') + black.substr(24));
  expect_error("projfgd simulate cdp --image flat.png", 2,
               "flat.png: found an image of 0 x 8 pixels, expected 1 to 65536 in each direction");
  // Grey with alpha, one pixel: a header, the pixel packed by zlib, an end.
  constexpr unsigned char alpha[] = {
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
      0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x04, 0x00, 0x00,
      0x00, 0xb5, 0x1c, 0x0c, 0x02, 0x00, 0x00, 0x00, 0x0b, 0x49, 0x44, 0x41, 0x54, 0x78,
      0xda, 0x63, 0xe0, 0x12, 0x01, 0x00, 0x00, 0x2b, 0x00, 0x1f, 0x04, 0xc8, 0xf0, 0xc2,
      0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  folder.file("alpha.png", std::string(std::begin(alpha), std::end(alpha)));
  expect_error("projfgd simulate cdp --image alpha.png", 2, "alpha");
  put("y.npy", {1, 1, 1}, {1});
  expect_error("projfgd phase y.npy --truth alpha.png", 2, "alpha");
}

// Half a simulation is worth nothing: it ends at once and leaves nothing.
TEST_F(PhaseProgram, ASignalEndsASimulation) {
  const std::string endless = "projfgd simulate counts --qubits 10 --shots 100000 --out s";
  const Outcome outcome = run("timeout --preserve-status -s INT 1 " + endless);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(outcome.err, "projfgd: interrupted: nothing was written\n");
  EXPECT_FALSE(fs::exists(at("s")));
}

TEST_F(PhaseProgram, FilesThatCannotBeReadAreExitThree) {
  put("y.npy", {2, 4, 3}, std::vector<double>(24, 1.0));
  expect_error("projfgd phase missing.npy", 3, "missing.npy");
  expect_error("projfgd phase y.npy --masks missing.npy", 3, "missing.npy");
  expect_error("projfgd phase y.npy --truth missing.npy", 3, "missing.npy");
  expect_error("projfgd phase y.npy --init missing.npy", 3, "missing.npy");
  expect_error("mkdir -p empty; projfgd phase empty", 3, "intensities.npy");
  expect_error("projfgd phase empty", 3, "empty: found a folder without intensities.npy, expected");
  expect_error("projfgd simulate cdp --image missing.png", 3, "missing.png");
}

TEST_F(PhaseProgram, WhatCannotFitIsExitFour) {
  expect_error("projfgd simulate cdp --size 1000000x1000000", 4, "memory");
  expect_error("projfgd simulate cdp --size 99999999x99999999", 4, "memory");
  expect_error("projfgd simulate cdp --size 8x8 --patterns 1000000000000", 4, "memory");
  Hdf5File(at("huge.h5")).promise("/intensities", {4, 1000000, 1000000});
  expect_error("projfgd phase huge.h5", 4, "/intensities of huge.h5");
  // A file with holes: a header that tells the truth and terabytes of zeros.
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 500000, 500000), }";
  header.resize(117, ' ');
  folder.file("holes.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n");
  expect_error("truncate -s 4000000000128 holes.npy; projfgd phase holes.npy", 4, "holes.npy");
}

TEST_F(PhaseProgram, PathsThatCannotBeLookedAtAreExitThree) {
  fs::create_symlink("loop", at("loop"));
  expect_error("projfgd phase loop", 3, "loop: cannot open: ");
  expect_error(std::string("projfgd phase ").append(300, 'a'), 3, "cannot open: ");
}

TEST_F(PhaseProgram, AFolderThatCannotBeMadeIsSeenBeforeTheRun) {
  expect_success(stars + "d");
  const Outcome outcome = run("projfgd phase d --out d/truth.npy/o --json");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace projfgd
