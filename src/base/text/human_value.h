// SPDX-License-Identifier: Apache-2.0
//
// Formats numbers with their unit for people: "1.23 s", "4.50 GiB", "12,345".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::base {

// `unit` is the unit of a profile sample type ("nanoseconds", "bytes", "count"). Times and sizes
// are scaled to three digits. Everything else is written in full, with its unit unless that is
// "count" or empty.
std::string HumanValue(int64_t value, std::string_view unit);

// Appends a UCUM unit to a number in readable form: "5 request" for "{request}", "5 packet/s" for
// "{packet}/s", "5" for "1", "5/s" for "1/s".
std::string WithUnit(std::string_view number, std::string_view unit);

// "12,345,678"
std::string GroupDigits(int64_t value);

// "12.34 %" of the whole; "0 %" when the whole is not positive.
std::string Percent(int64_t part, int64_t whole);

}  // namespace flarestack::base
