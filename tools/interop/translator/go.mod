module flarestack.example/interop/translator

go 1.25

require (
	github.com/google/pprof v0.0.0-20260604005048-7023385849c0
	github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/pprof v0.164.0
	go.opentelemetry.io/collector/pdata/pprofile v0.164.0
)
