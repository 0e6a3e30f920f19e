// SPDX-License-Identifier: Apache-2.0
//
// Messages with every field of a signal set, as our JSON writer writes them, and their meaning as
// printed by model/dump/signal_dump.h.
#pragma once

#include <string_view>

namespace flarestack::codec::otlp {

inline constexpr std::string_view kFullTracesJson =
    R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"cart"}}],)"
    R"("droppedAttributesCount":1,"entityRefs":[{"schemaUrl":"https://e/1","type":"service",)"
    R"("idKeys":["service.name"],"descriptionKeys":["a","b"]}]},)"
    R"("scopeSpans":[{"scope":{"name":"lib","version":"1","attributes":[{"key":"s","value":{"boolValue":false}}],)"
    R"("droppedAttributesCount":2},"spans":[)"
    R"({"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"1112131415161718","traceState":"k=v",)"
    R"("parentSpanId":"2122232425262728","name":"GET /","kind":2,"startTimeUnixNano":"1700000000000000000",)"
    R"("endTimeUnixNano":"18446744073709551615","attributes":[)"
    R"({"key":"list","value":{"arrayValue":{"values":[{"intValue":"-1"},{"doubleValue":0.5},{}]}}},)"
    R"({"key":"map","value":{"kvlistValue":{"values":[{"key":"b","value":{"bytesValue":"AP8="}}]}}}],)"
    R"("droppedAttributesCount":3,"events":[{"timeUnixNano":"5","name":"e","attributes":[)"
    R"({"key":"x","value":{"stringValue":""}}],"droppedAttributesCount":4},{}],"droppedEventsCount":5,)"
    R"("links":[{"traceId":"ff","spanId":"fe","traceState":"t","attributes":[{"key":"l"}],)"
    R"("droppedAttributesCount":6,"flags":768}],"droppedLinksCount":7,)"
    R"("status":{"message":"no","code":2},"flags":4294967295},{}],"schemaUrl":"https://s/2"},{}],)"
    R"("schemaUrl":"https://r/3"},{}]})";

inline constexpr std::string_view kFullTracesDump = R"(resource
  schema_url "https://r/3"
  dropped_attributes_count 1
  attribute "service.name" = string "cart"
  entity_ref "service"
    schema_url "https://e/1"
    id_key "service.name"
    description_key "a"
    description_key "b"
  scope
    name "lib"
    version "1"
    schema_url "https://s/2"
    dropped_attributes_count 2
    attribute "s" = bool false
    span "GET /"
      trace_id 0102030405060708090a0b0c0d0e0f10
      span_id 1112131415161718
      parent_span_id 2122232425262728
      trace_state "k=v"
      kind 2
      start_time_unix_nano 1700000000000000000
      end_time_unix_nano 18446744073709551615
      flags 4294967295
      status_code 2
      status_message "no"
      dropped_attributes_count 3
      dropped_events_count 5
      dropped_links_count 7
      attribute "list" = array [int -1, double 0.5, empty]
      attribute "map" = kvlist {"b" = bytes 00ff}
      event "e"
        time_unix_nano 5
        dropped_attributes_count 4
        attribute "x" = string ""
      event ""
      link
        trace_id ff
        span_id fe
        trace_state "t"
        flags 768
        dropped_attributes_count 6
        attribute "l" = empty
    span ""
  scope absent
resource absent
)";

inline constexpr std::string_view kFullLogsJson =
    R"({"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[)"
    R"({"timeUnixNano":"1700000000000000000","severityNumber":17,"severityText":"ERROR",)"
    R"("body":{"kvlistValue":{"values":[{"key":"message","value":{"stringValue":"gone"}}]}},)"
    R"("attributes":[{"key":"k","value":{"intValue":"7"}}],"droppedAttributesCount":1,"flags":1,)"
    R"("traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"1112131415161718",)"
    R"("observedTimeUnixNano":"1700000000000000001","eventName":"device.app.lifecycle"},)"
    R"({"body":{"stringValue":""}},{}],"schemaUrl":"https://s/2"}],"schemaUrl":"https://r/3"}]})";

inline constexpr std::string_view kFullLogsDump = R"(resource
  schema_url "https://r/3"
  scope
    schema_url "https://s/2"
    log_record
      time_unix_nano 1700000000000000000
      observed_time_unix_nano 1700000000000000001
      severity_number 17
      severity_text "ERROR"
      event_name "device.app.lifecycle"
      body kvlist {"message" = string "gone"}
      trace_id 0102030405060708090a0b0c0d0e0f10
      span_id 1112131415161718
      flags 1
      dropped_attributes_count 1
      attribute "k" = int 7
    log_record
      body string ""
    log_record
)";

inline constexpr std::string_view kFullMetricsJson =
    R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[)"
    R"({"name":"g","description":"a gauge","unit":"By","gauge":{"dataPoints":[)"
    R"({"startTimeUnixNano":"1","timeUnixNano":"2","asDouble":0,"exemplars":[)"
    R"({"timeUnixNano":"3","asInt":"-4","spanId":"1112131415161718","traceId":"0102030405060708090a0b0c0d0e0f10",)"
    R"("filteredAttributes":[{"key":"f","value":{"boolValue":true}}]},{"asDouble":1.5}],)"
    R"("attributes":[{"key":"k","value":{"stringValue":"v"}}],"flags":1},{"asInt":"0"},{}]},)"
    R"("metadata":[{"key":"m","value":{"stringValue":"d"}}]},)"
    R"({"name":"s","sum":{"dataPoints":[{"timeUnixNano":"2","asInt":"9223372036854775807"}],)"
    R"("aggregationTemporality":2,"isMonotonic":true}},)"
    R"({"name":"h","histogram":{"dataPoints":[{"startTimeUnixNano":"1","timeUnixNano":"2","count":"6",)"
    R"("sum":0,"bucketCounts":["1","2","3"],"explicitBounds":[-0.5,10],"exemplars":[{}],)"
    R"("attributes":[{"key":"k"}],"flags":2,"min":-1,"max":"Infinity"},{}],"aggregationTemporality":1}},)"
    R"({"name":"e","exponentialHistogram":{"dataPoints":[{"attributes":[{"key":"k"}],"startTimeUnixNano":"1",)"
    R"("timeUnixNano":"2","count":"9","sum":"NaN","scale":-3,"zeroCount":"4",)"
    R"("positive":{"offset":-2,"bucketCounts":["1","18446744073709551615"]},"negative":{"offset":7,"bucketCounts":["0"]},)"
    R"("flags":3,"exemplars":[{"asInt":"5"}],"min":-8,"max":8,"zeroThreshold":0.25}],"aggregationTemporality":1}},)"
    R"({"name":"q","summary":{"dataPoints":[{"startTimeUnixNano":"1","timeUnixNano":"2","count":"3","sum":4.5,)"
    R"("quantileValues":[{"value":1},{"quantile":0.5,"value":2},{"quantile":1}],"attributes":[{"key":"k"}],"flags":4}]}},)"
    R"({"summary":{}},{"name":"none"}]}]}]})";

inline constexpr std::string_view kFullMetricsDump = R"(resource absent
  scope absent
    metric "g"
      description "a gauge"
      unit "By"
      metadata "m" = string "d"
      gauge
        point
          start_time_unix_nano 1
          time_unix_nano 2
          flags 1
          attribute "k" = string "v"
          as_double 0
          exemplar
            time_unix_nano 3
            as_int -4
            trace_id 0102030405060708090a0b0c0d0e0f10
            span_id 1112131415161718
            attribute "f" = bool true
          exemplar
            as_double 1.5
        point
          as_int 0
        point
    metric "s"
      temporality 2
      is_monotonic true
      sum
        point
          time_unix_nano 2
          as_int 9223372036854775807
    metric "h"
      temporality 1
      histogram
        point
          start_time_unix_nano 1
          time_unix_nano 2
          flags 2
          attribute "k" = empty
          count 6
          sum 0
          min -1
          max inf
          bucket_counts 1 2 3
          explicit_bounds -0.5 10
          exemplar
        point
    metric "e"
      temporality 1
      exponential_histogram
        point
          start_time_unix_nano 1
          time_unix_nano 2
          flags 3
          attribute "k" = empty
          count 9
          sum nan
          min -8
          max 8
          scale -3
          zero_count 4
          zero_threshold 0.25
          positive_offset -2
          positive 1 18446744073709551615
          negative_offset 7
          negative 0
          exemplar
            as_int 5
    metric "q"
      summary
        point
          start_time_unix_nano 1
          time_unix_nano 2
          flags 4
          attribute "k" = empty
          count 3
          sum 4.5
          quantile 0 = 1
          quantile 0.5 = 2
          quantile 1 = 0
    metric ""
      summary
    metric "none"
)";

}  // namespace flarestack::codec::otlp
