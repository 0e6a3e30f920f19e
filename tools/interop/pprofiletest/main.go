// SPDX-License-Identifier: Apache-2.0
//
// ValidateProfile of the Collector's test helpers as a program: one finding per line, exits with 1 if there are any.
//
//	pprofiletest FILE
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/pprofiletest"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

func findings(data pprofile.Profiles) []string {
	var found []string
	for _, resource := range data.ResourceProfiles().All() {
		for _, scope := range resource.ScopeProfiles().All() {
			for _, profile := range scope.Profiles().All() {
				if err := pprofiletest.ValidateProfile(data.Dictionary(), profile); err != nil {
					found = append(found, strings.Split(err.Error(), "\n")...)
				}
			}
		}
	}
	return found
}

func main() {
	bytes, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	data, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(bytes)
	if err != nil {
		fmt.Println("not decoded:", err)
		os.Exit(1)
	}
	found := findings(data)
	for _, finding := range found {
		fmt.Println(finding)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}
