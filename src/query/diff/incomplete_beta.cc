// SPDX-License-Identifier: Apache-2.0
#include "query/diff/incomplete_beta.h"

#include <boost/math/special_functions/beta.hpp>

namespace flarestack::query {
namespace {

// Values instead of exceptions where a result is too small or an argument has no meaning; no
// detour through long double.
using Policy = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::promote_double<false>>;

}  // namespace

double IncompleteBeta(double a, double b, double x) {
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  return boost::math::ibeta(a, b, x, Policy());
}

double StudentProbability(double t, double degrees_of_freedom) {
  return IncompleteBeta(degrees_of_freedom / 2, 0.5,
                        degrees_of_freedom / (degrees_of_freedom + t * t));
}

}  // namespace flarestack::query
