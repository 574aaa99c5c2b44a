// What the measures need to know of the kinds of data: expectations, counts of settings and counts
// of projectors.
#pragma once

#include <optional>

#include "jobs/common/noise.hpp"
#include "projfgd/io/measurements.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/measures/goodness.hpp"
#include "projfgd/measures/projector_counts.hpp"

namespace projfgd {

/// What the operator multiplies expectations by.
double scale_of(const PauliData& data);

/// Counts of a projector that is certain, for the exposure 1, were the state white. In this unit
/// the answer of a fit, whose trace is free, is a state up to a factor near 1.
double unit_intensity(const ProjectorData& data);

/// As the measures take them.
ProjectorCounts counts_of(const ProjectorData& data);

/// The intensity of the likeliest fit of these probabilities; nothing for other data.
std::optional<double> intensity_of(const Measurements& measured, const Vector<double>& p);

/// Whether the data fix tr X, or X is a state times an intensity.
bool has_free_trace(const Measurements& measured);

int qubits_of(const Measurements& measured);

/// Remarks of the reader on the data.
const std::vector<std::string>& notes_of(const Measurements& measured);

bool noise_is_known(const Measurements& measured);

/// Whether all outcomes are there, for chi-square, error bars and the like. Of many qubits almost
/// none is ever seen, and the others are not kept.
bool keeps_all_outcomes(const Measurements& measured);

/// Shots of a setting on average, or those that would give expectations their errors; 0 where the
/// noise is unknown.
double shots_per_setting(const Measurements& measured);

/// What the operator predicts for white noise, I/n.
Vector<double> white_predictions(const Measurements& measured, const Readout& readout);

/// The numbers of a fit that only the data tell: how many there are, and how many they determine.
Noise noise_of(const Measurements& measured);

/// Of predictions as the operator makes them.
Goodness goodness(const Measurements& measured, const Vector<double>& predictions);

/// Whether a fit misses expectations by more than their errors can be, where nothing is said of
/// these: more than 1/10 in the root mean square. The error of N shots is 1 / sqrt(N) at most, and
/// who has fewer than 100 a string has to say so. Of counts the settings tell.
bool misses_values(const Measurements& measured, const Goodness& good);

/// A setting as files label it; `?` stands for a letter of --bases.
std::string setting_label(const Setting& setting, bool qubit0_left);

/// Chi-square of each setting over its expected value; empty where the shots are not known.
std::vector<SettingMisfit> setting_misfits(const Measurements& measured,
                                           const Vector<double>& predictions,
                                           bool label_qubit0_left);

/// Measured against predicted for the report; of many numbers an even selection.
Fit fit_of(const Measurements& measured, const Vector<double>& predictions, bool label_qubit0_left);

}  // namespace projfgd
