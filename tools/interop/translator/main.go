// SPDX-License-Identifier: Apache-2.0
//
// The Collector's translator between pprof and OTLP as a program.
//
//	translator to-otlp PPROF OTLP
//	translator to-pprof OTLP PPROF
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/google/pprof/profile"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/pprof"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

func toOtlp(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	parsed, err := profile.Parse(in)
	if err != nil {
		return err
	}
	data, err := pprof.ConvertPprofToProfiles(parsed)
	if err != nil {
		return err
	}
	bytes, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(*data)
	if err != nil {
		return err
	}
	return os.WriteFile(to, bytes, 0o644)
}

func toPprof(from, to string) error {
	bytes, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	data, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(bytes)
	if err != nil {
		return err
	}
	converted, err := pprof.ConvertPprofileToPprof(&data)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(converted.Write(out), out.Close())
}

func run(words []string) error {
	if len(words) != 4 {
		return errors.New("usage: translator to-otlp|to-pprof FROM TO")
	}
	switch words[1] {
	case "to-otlp":
		return toOtlp(words[2], words[3])
	case "to-pprof":
		return toPprof(words[2], words[3])
	}
	return fmt.Errorf("no such way: %s", words[1])
}

func main() {
	if err := run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
