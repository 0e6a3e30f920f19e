# SPDX-License-Identifier: Apache-2.0
"""Telemetry of an invented shop as OTLP/JSON, which uses every feature of the four signals.

Times are in nanoseconds and close to now, because a server may change others.
"""

TRACE_ID = "5b8efff798038103d269b633813fc60c"
OTHER_TRACE_ID = "00000000000000000000000000000a01"
SPAN_IDS = ["eee19b7ec3c1b174", "eee19b7ec3c1b175", "eee19b7ec3c1b176"]

# Every kind of AnyValue, including values that are easily lost: empty, negative, above 2^53, binary.
VALUES = {
    "text": {"stringValue": "päck \"1\"\n\t\u0001"},
    "text.empty": {"stringValue": ""},
    "bool": {"boolValue": True},
    "bool.false": {"boolValue": False},
    "int": {"intValue": "-9223372036854775808"},
    "int.zero": {"intValue": "0"},
    "int.large": {"intValue": "9007199254740993"},
    "double": {"doubleValue": 0.1},
    "double.large": {"doubleValue": 1.7976931348623157e308},
    "double.zero": {"doubleValue": 0},
    "bytes": {"bytesValue": "AP+A/g=="},
    "array": {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": "1"}, {"boolValue": False}, {},
                                        {"arrayValue": {"values": [{"doubleValue": 2.5}]}}]}},
    "array.empty": {"arrayValue": {"values": []}},
    "list": {"kvlistValue": {"values": [{"key": "a", "value": {"stringValue": "b"}},
                                        {"key": "c", "value": {"kvlistValue": {"values": [
                                            {"key": "d", "value": {"bytesValue": "AQ=="}}]}}}]}},
    "none": {},
}


def attribute(key, value):
    return {"key": key, "value": value}


def attributes(**texts):
    return [attribute(key.replace("_", "."), {"stringValue": text}) for key, text in texts.items()]


def every_attribute():
    return [attribute(f"kind.{name}", value) for name, value in VALUES.items()]


def cart():
    return {"attributes": attributes(service_name="cart", host_name="web-1") + every_attribute()}


def checkout():
    return {"attributes": attributes(service_name="checkout", service_version="1.2"), "droppedAttributesCount": 3}


def scope(name):
    return {"name": name, "version": "0.1", "attributes": attributes(scope_mode=name), "droppedAttributesCount": 1}


def traces(now):
    root = {"traceId": TRACE_ID, "spanId": SPAN_IDS[0], "traceState": "a=1,b=2", "flags": 257, "name": "GET /cart",
            "kind": 2, "startTimeUnixNano": str(now), "endTimeUnixNano": str(now + 5_000_000),
            "attributes": every_attribute(), "droppedAttributesCount": 2, "droppedEventsCount": 4,
            "droppedLinksCount": 5, "status": {"code": 2, "message": "no such cart"}}
    root["events"] = [{"timeUnixNano": str(now + 1), "name": "cache miss", "attributes": every_attribute(),
                       "droppedAttributesCount": 1},
                      {"timeUnixNano": str(now + 2), "name": "retry"}]
    root["links"] = [{"traceId": OTHER_TRACE_ID, "spanId": SPAN_IDS[2], "traceState": "c=3", "flags": 1,
                      "attributes": every_attribute(), "droppedAttributesCount": 6}]
    child = {"traceId": TRACE_ID, "spanId": SPAN_IDS[1], "parentSpanId": SPAN_IDS[0], "name": "SELECT", "kind": 3,
             "startTimeUnixNano": str(now + 10), "endTimeUnixNano": str(now + 10), "status": {"code": 1}}
    far = {"traceId": TRACE_ID, "spanId": SPAN_IDS[2], "parentSpanId": SPAN_IDS[1], "name": "pay", "kind": 5,
           "startTimeUnixNano": str(now + 20), "endTimeUnixNano": str(now + 30), "attributes": every_attribute()}
    return {"resourceSpans": [
        {"resource": cart(), "schemaUrl": "https://opentelemetry.io/schemas/1.37.0", "scopeSpans": [
            {"scope": scope("http"), "spans": [root], "schemaUrl": "https://opentelemetry.io/schemas/1.36.0"},
            {"scope": scope("sql"), "spans": [child]}]},
        {"resource": checkout(), "scopeSpans": [{"scope": {"name": "pay"}, "spans": [far]}]}]}


def logs(now):
    def record(index, body, **more):
        return {"timeUnixNano": str(now + index), "observedTimeUnixNano": str(now + index + 1000),
                "traceId": TRACE_ID, "body": body, **more}

    bodies = [record(index, body, severityNumber=1 + index) for index, body in enumerate(VALUES.values())]
    full = record(100, {"stringValue": "card declined"}, spanId=SPAN_IDS[2], severityNumber=17, severityText="ERROR",
                  attributes=every_attribute(), droppedAttributesCount=1, flags=1, eventName="payment.declined")
    return {"resourceLogs": [
        {"resource": cart(), "schemaUrl": "https://opentelemetry.io/schemas/1.37.0", "scopeLogs": [
            {"scope": scope("app"), "logRecords": bodies},
            {"scope": {"name": "audit"}, "logRecords": [record(200, {"stringValue": "added"})]}]},
        {"resource": checkout(), "scopeLogs": [{"scope": scope("app"), "logRecords": [full]}]}]}


def metrics(now):
    exemplars = [{"timeUnixNano": str(now), "asDouble": 1.5, "traceId": TRACE_ID, "spanId": SPAN_IDS[0],
                  "filteredAttributes": every_attribute()},
                 {"timeUnixNano": str(now), "asInt": "-7"}]
    times = {"startTimeUnixNano": str(now - 1_000_000_000), "timeUnixNano": str(now)}

    def point(key, **more):
        return {**times, "attributes": attributes(point=key), "exemplars": exemplars, **more}

    stale = {**times, "attributes": attributes(point="stale"), "flags": 1}
    histogram = point("histogram", count="6", sum=12.5, min=0.5, max=9, bucketCounts=["1", "2", "3"],
                      explicitBounds=[1, 5])
    exponential = point("exponential", count="9", sum=3.5, min=-4, max=4, scale=-2, zeroCount="2", zeroThreshold=0.25,
                        positive={"offset": -3, "bucketCounts": ["1", "0", "3"]},
                        negative={"offset": 2, "bucketCounts": ["3"]})
    summary = {**times, "attributes": attributes(point="summary"), "count": "4", "sum": 10,
               "quantileValues": [{"quantile": 0.5, "value": 2}, {"quantile": 1, "value": 4}]}
    of_cart = [
        {"name": "queue", "description": "waiting", "unit": "{request}", "metadata": every_attribute(),
         "gauge": {"dataPoints": [point("int", asInt="-9007199254740993"), point("double", asDouble=0.1)]}},
        {"name": "requests", "unit": "1", "sum": {"aggregationTemporality": 2, "isMonotonic": True,
                                                  "dataPoints": [point("sum", asInt="12"), stale]}},
        {"name": "latency", "unit": "ms", "histogram": {"aggregationTemporality": 1, "dataPoints": [histogram]}},
    ]
    of_checkout = [
        {"name": "size", "unit": "By", "exponentialHistogram": {"aggregationTemporality": 2,
                                                                "dataPoints": [exponential]}},
        {"name": "old", "summary": {"dataPoints": [summary]}},
    ]
    return {"resourceMetrics": [
        {"resource": cart(), "scopeMetrics": [{"scope": scope("meter"), "metrics": of_cart}]},
        {"resource": checkout(), "schemaUrl": "https://opentelemetry.io/schemas/1.37.0",
         "scopeMetrics": [{"scope": {"name": "meter"}, "metrics": of_checkout}]}]}
