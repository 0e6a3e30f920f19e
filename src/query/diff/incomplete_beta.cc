// SPDX-License-Identifier: Apache-2.0
#include "query/diff/incomplete_beta.h"

#include <cmath>

namespace flarestack::query {
namespace {

// The continued fraction of the incomplete beta function, evaluated forwards (Lentz).
double BetaFraction(double a, double b, double x) {
  constexpr int kStepsMax = 10'000;
  constexpr double kTiny = 1e-300;
  constexpr double kEnough = 1e-12;
  const auto not_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int step = 1; step <= kStepsMax; ++step) {
    const double m = step;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < kEnough)
      break;
  }
  return fraction;
}

}  // namespace

double IncompleteBeta(double a, double b, double x) {
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges quickly only on this side of the mean.
  if (x < (a + 1) / (a + b + 2))
    return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

double StudentProbability(double t, double degrees_of_freedom) {
  return IncompleteBeta(degrees_of_freedom / 2, 0.5,
                        degrees_of_freedom / (degrees_of_freedom + t * t));
}

}  // namespace flarestack::query
