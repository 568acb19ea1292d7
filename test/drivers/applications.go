// Functions shared by the tests of Go's drivers: TAP output, and the queries of the file cases.
package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

var points, failures int

func point(passed bool, title, details string) {
	result := "ok"
	points++
	if !passed {
		failures++
		result = "not ok"
		fmt.Fprintf(os.Stderr, "%s: %s\n", title, details)
	}
	fmt.Printf("%s %d - %s\n", result, points, title)
}

func compare(got, expected, title string) {
	passed := got == expected
	if strings.HasPrefix(expected, "ERROR: ") {
		passed = strings.HasPrefix(got, "ERROR: ") && strings.Contains(got, expected[len("ERROR: "):])
	}
	point(passed, title, "got "+got+", expected "+expected)
}

func answer(value interface{}, err error) string {
	switch {
	case err != nil:
		return "ERROR: " + err.Error()
	case value == nil:
		return "null"
	}
	return fmt.Sprint(value)
}

func parameter(word string, list func([]string) interface{}) interface{} {
	parts := strings.SplitN(word, ":", 2)
	switch parts[0] {
	case "text":
		return parts[1]
	case "int":
		number, err := strconv.Atoi(parts[1])
		must(err)
		return number
	case "list":
		elements := []string{}
		if parts[1] != "" {
			elements = strings.Split(parts[1], ",")
		}
		return list(elements)
	}
	return nil
}

func contains(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

// askCases runs the queries for the driver. ask returns the first column of the first row, list makes a parameter of a
// list.
func askCases(driver string, ask func(string, ...interface{}) (interface{}, error), list func([]string) interface{}) {
	asked := 0
	cases, err := os.ReadFile("cases")
	must(err)
	for _, line := range strings.Split(strings.TrimSpace(string(cases)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := regexp.MustCompile(` *\| *`).Split(line, -1)
		names := strings.Fields(fields[0])
		excepted := len(names) > 1 && names[1] == "but"
		if named := contains(names, driver); named && excepted || !named && names[0] != "all" {
			continue
		}
		parameters := []interface{}{}
		for _, word := range strings.Fields(fields[3]) {
			parameters = append(parameters, parameter(word, list))
		}
		compare(answer(ask(fields[2], parameters...)), fields[4], fields[1])
		asked++
	}
	point(asked > 25, "the queries were run", fmt.Sprint(asked))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func finish() {
	fmt.Printf("1..%d\n", points)
	if failures > 0 {
		os.Exit(1)
	}
}
