// SPDX-License-Identifier: Apache-2.0
//
// The special function behind the binomial and Student's distribution.
#pragma once

namespace flarestack::query {

// The regularised incomplete beta function I_x(a, b), for a and b above 0.
double IncompleteBeta(double a, double b, double x);

// Two-sided: how probable is a value at least as far from 0 as `t` in Student's distribution?
double StudentProbability(double t, double degrees_of_freedom);

}  // namespace flarestack::query
