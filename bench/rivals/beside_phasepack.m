% Amplitude flow of PhasePack on the coded diffraction patterns that projfgd is measured with.
%
%   git clone https://github.com/tomgoldstein/phasepack-matlab
%   projfgd simulate cdp --image stars --size 883x1280 --patterns 21 --seed 1 --out big
%   octave --eval "addpath('bench/rivals'); beside_phasepack('phasepack-matlab', 'big')"
%   projfgd phase big --target-error 1e-5 --json
%
% Prints the two-dimensional Fourier transforms until the relative error of the image (modulo a phase)
% is below 1e-5, and how many of them the spectral start took, with the defaults of PhasePack. The last
% command has those of projfgd. 883 x 1280 takes some 5 GB. MATLAB runs this too.

function beside_phasepack(phasepack, folder)
  for part = {'solvers', 'initializers', 'util'}
    addpath(fullfile(phasepack, part{1}));
  end
  masks = read_npy(fullfile(folder, 'masks.npy'));
  table = read_npy(fullfile(folder, 'mask_values.npy'));
  masks = conj(reshape(table(double(masks(:)) + 1), size(masks)));
  b = sqrt(read_npy(fullfile(folder, 'intensities.npy')));
  b = b(:);
  truth = read_npy(fullfile(folder, 'truth.npy'));
  truth = truth(:);
  [height, width, patterns] = size(masks);  % of the transposed image: NPY lists rows first
  transforms = 0;

  function y = A(x)
    y = fft2(reshape(x, height, width) .* masks);
    y = y(:);
    transforms = transforms + patterns;
  end
  function x = At(y)
    x = height * width * sum(conj(masks) .* ifft2(reshape(y, height, width, patterns)), 3);
    x = x(:);
    transforms = transforms + patterns;
  end

  rand('twister', 1);
  randn('twister', 1);
  start = initOptimalSpectral(@A, @At, b, numel(truth), true, 0);
  of_start = transforms;
  opts = struct('maxIters', 10000, 'maxTime', 36000, 'tol', 1e-5, 'xt', truth, 'verbose', 0, ...
                'recordTimes', false, 'recordResiduals', false, 'recordMeasurementErrors', false, ...
                'recordReconErrors', true, 'searchMethod', 'steepestDescent', 'betaChoice', []);
  % What solveAmplitudeFlow does; called directly, because Octave 7 does not find its b0.
  f = @(z) norm(abs(z) - b)^2 / 2;
  gradient = @(z) z - b .* sign(z);
  [~, outs] = gradientDescentSolver(@A, @At, start, b, @(~, ~) deal(f, gradient), opts);
  printf('%d transforms, %d of them for the start; %d iterations, error %.1e\n', transforms, ...
         of_start, outs.iterationCount, outs.reconErrors(outs.iterationCount));
end

% Little-endian numbers in C order; the first dimension comes last.
function values = read_npy(path)
  file = fopen(path, 'r', 'ieee-le');
  fread(file, 8, 'uint8');
  header = fread(file, fread(file, 1, 'uint16'), '*char')';
  type = regexp(header, '''descr'': ''([^'']+)''', 'tokens'){1}{1};
  shape = str2num(['[' regexp(header, '\(([^)]*)\)', 'tokens'){1}{1} ']']);
  switch type
    case '|u1', values = fread(file, inf, 'uint8');
    case '<f8', values = fread(file, inf, 'double');
    case '<c16'
      values = fread(file, [2, inf], 'double');
      values = complex(values(1, :), values(2, :));
    otherwise, error('%s: found the type %s', path, type);
  end
  fclose(file);
  if numel(shape) > 1, values = reshape(values, fliplr(shape)); end
end
