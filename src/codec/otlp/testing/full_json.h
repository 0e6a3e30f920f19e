// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace flarestack::codec::otlp {

// A message with every field of OTLP profiles set, as our writer writes it: compact, in the order
// of the field numbers. It breaks some rules of the protocol (the shapes of the samples differ),
// but every index is valid.
inline constexpr std::string_view kFullJson =
    R"({"resourceProfiles":[)"
    R"({"resource":{"attributes":[)"
    R"({"key":"service.name","value":{"stringValue":"cart"}},)"
    R"({"value":{"stringValueStrindex":6},"keyStrindex":5},)"
    R"({"key":"list","value":{"arrayValue":{"values":[)"
    R"({"intValue":"-9223372036854775808"},{},{"arrayValue":{}},{"stringValue":""}]}}},)"
    R"({"key":"map","value":{"kvlistValue":{"values":[)"
    R"({"key":"b","value":{"boolValue":false}},{"value":{"doubleValue":-1.5},"keyStrindex":5}]}}},)"
    R"({"key":"nothing"}],)"
    R"("droppedAttributesCount":4294967295,)"
    R"("entityRefs":[{"schemaUrl":"https://e/1","type":"service","idKeys":["service.name"],)"
    R"("descriptionKeys":["list","map"]}]},)"
    R"("scopeProfiles":[{)"
    R"("scope":{"name":"full","version":"1.0","attributes":[{"key":"s","value":{"bytesValue":"AP8="}}],)"
    R"("droppedAttributesCount":2},)"
    R"("profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},)"
    R"("samples":[)"
    R"({"stackIndex":1,"attributeIndices":[1,2],"linkIndex":1,"values":["3","-4"],)"
    R"("timestampsUnixNano":["1700000000000000001","18446744073709551615"]},)"
    R"({"values":["9223372036854775807"]}],)"
    R"("timeUnixNano":"1700000000000000000","durationNano":"1000000000",)"
    R"("periodType":{"typeStrindex":3,"unitStrindex":4},"period":"50000000",)"
    R"("profileId":"0102030405060708090a0b0c0d0e0f10","droppedAttributesCount":7,)"
    R"("originalPayloadFormat":"pprof","originalPayload":"H4sI","attributeIndices":[3]},)"
    R"({}],"schemaUrl":"https://s/2"}],)"
    R"("schemaUrl":"https://r/3"},)"
    R"({"scopeProfiles":[{}]}],)"
    R"("dictionary":{)"
    R"("mappingTable":[{},{"memoryStart":"4194304","memoryLimit":"18446744073709551615",)"
    R"("fileOffset":"4096","filenameStrindex":11,"attributeIndices":[4]}],)"
    R"("locationTable":[{},{"mappingIndex":1,"address":"4198400","lines":[)"
    R"({"functionIndex":1,"line":"10","column":"2"},{"functionIndex":2}],"attributeIndices":[5]},)"
    R"({"address":"1"}],)"
    R"("functionTable":[{},{"nameStrindex":7,"systemNameStrindex":8,"filenameStrindex":9,"startLine":"8"},)"
    R"({"nameStrindex":10}],)"
    R"("linkTable":[{},{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"1112131415161718"}],)"
    R"("stringTable":["","samples","count","cpu","nanoseconds","host.name","web-1","leaf","_Z4leafv",)"
    R"("leaf.cc","main","/usr/bin/cart","thread.id","label","By","build","frame.type","\"\\\n\u0001Ü"],)"
    R"("attributeTable":[{},{"keyStrindex":12,"value":{"intValue":"7"}},)"
    R"({"keyStrindex":13,"value":{"stringValueStrindex":17},"unitStrindex":14},)"
    R"({"keyStrindex":13,"value":{"doubleValue":"NaN"}},)"
    R"({"keyStrindex":15,"value":{"stringValue":"abc"}},)"
    R"({"keyStrindex":16,"value":{"boolValue":true}}],)"
    R"("stackTable":[{},{"locationIndices":[1,2]}]}})";

// Its meaning, as printed by model::Dump.
inline constexpr std::string_view kFullDump = R"(resource
  schema_url "https://r/3"
  dropped_attributes_count 4294967295
  attribute "host.name" = string "web-1"
  attribute "list" = array [int -9223372036854775808, empty, array [], string ""]
  attribute "map" = kvlist {"b" = bool false, "host.name" = double -1.5}
  attribute "nothing" = empty
  attribute "service.name" = string "cart"
  entity_ref "service"
    schema_url "https://e/1"
    id_key "service.name"
    description_key "list"
    description_key "map"
  scope
    name "full"
    version "1.0"
    schema_url "https://s/2"
    dropped_attributes_count 2
    attribute "s" = bytes 00ff
    profile
      sample_type "samples" unit "count"
      period_type "cpu" unit "nanoseconds"
      period 50000000
      time_unix_nano 1700000000000000000
      duration_nano 1000000000
      profile_id 0102030405060708090a0b0c0d0e0f10
      dropped_attributes_count 7
      original_payload_format "pprof"
      original_payload 3 bytes, hash 8df390c8de09e706fbeb88cbe028f5ae
      attribute "label" = double nan
      sample
        values 3 -4
        timestamps 1700000000000000001 18446744073709551615
        link trace 0102030405060708090a0b0c0d0e0f10 span 1112131415161718
        attribute "label" = string "\"\\\n\u0001Ü" unit "By"
        attribute "thread.id" = int 7
        location 0x401000
          mapping "/usr/bin/cart" 0x400000-0xffffffffffffffff offset 0x1000
            attribute "build" = string "abc"
          attribute "frame.type" = bool true
          frame "leaf" system_name "_Z4leafv" file "leaf.cc" start_line 8 line 10 column 2
          frame "main"
        location 0x1
      sample
        values 9223372036854775807
    profile
resource absent
  scope absent
)";

}  // namespace flarestack::codec::otlp
