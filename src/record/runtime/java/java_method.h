// SPDX-License-Identifier: Apache-2.0
//
// A method of a Java program, with its names as programmers write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/java/java_lines.h"
#include "record/runtime/java/java_process.h"

namespace flarestack::record::runtime {

inline constexpr size_t kJavaNameBytesMax = 1024;  // of a class, and of a method

struct JavaMethod {
  uint32_t identity = 0;  // java_method_identity of bpf/java_step.h
  std::string name;       // "com.shop.Cart.add"
  std::string file;       // "Cart.java"; empty if unknown
  JavaLines lines;
};

// Reads the object at `address`. Returns kInvalidArgument if it cannot be a method.
absl::StatusOr<JavaMethod> ReadJavaMethod(const JavaProcess& process, agent::MemoryReader read,
                                          uint64_t address);

// Identifies what the method at `address` consists of, without reading the rest.
absl::StatusOr<uint32_t> ReadJavaMethodIdentity(const JavaProcess& process,
                                                agent::MemoryReader read, uint64_t address);

// From "com/shop/Cart$$Lambda$14+0x0000000800c03000" to "com.shop.Cart$$Lambda": without what
// differs from run to run.
std::string JavaClassName(std::string_view internal);

}  // namespace flarestack::record::runtime
