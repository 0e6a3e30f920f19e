module flarestack.example/interop/pprofiletest

go 1.25

require (
	github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest v0.164.1
	go.opentelemetry.io/collector/pdata/pprofile v0.164.0
)
