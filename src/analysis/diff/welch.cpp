// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/welch.h"

#include <cmath>

namespace telltale {

namespace {

struct Moments {
  double count = 0;
  double mean = 0;
  double variance = 0;  // of the sample, n - 1
};

Moments MomentsOf(std::span<const int64_t> values) {
  Moments m;
  for (const int64_t value : values) {
    m.count += 1;
    const double from_mean = static_cast<double>(value) - m.mean;
    m.mean += from_mean / m.count;
    m.variance += from_mean * (static_cast<double>(value) - m.mean);
  }
  if (m.count > 1) m.variance /= m.count - 1;
  return m;
}

// The continued fraction of the incomplete beta function, by Lentz's method.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 10'000;
  const auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int i = 1; i <= kMostTerms; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double factor = d * c;
    result *= factor;
    if (std::fabs(factor - 1) < 1e-14) break;
  }
  return result;
}

// The regularised incomplete beta function.
double IncompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges quickly on this side of the mean.
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

}  // namespace

double StudentTwoSided(double t, double degrees) {
  return IncompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

std::optional<double> WelchTest(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const Moments x = MomentsOf(a);
  const Moments y = MomentsOf(b);
  const double x_error = x.variance / x.count;
  const double y_error = y.variance / y.count;
  const double error = x_error + y_error;
  if (error <= 0) return x.mean == y.mean ? 1 : 0;
  const double t = (x.mean - y.mean) / std::sqrt(error);
  const double degrees =
      error * error / (x_error * x_error / (x.count - 1) + y_error * y_error / (y.count - 1));
  return StudentTwoSided(t, degrees);
}

}  // namespace telltale
