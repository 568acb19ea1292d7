// Functions shared by the tests of Node's drivers: TAP output, and the queries of the file cases.
import { readFileSync } from 'node:fs'

let points = 0
let failures = 0

export function point(passed, title, details = '') {
  points++
  if (!passed) {
    failures++
    console.error(`${title}: ${details}`)
  }
  console.log(`${passed ? 'ok' : 'not ok'} ${points} - ${title}`)
}

export function compare(got, expected, title) {
  point(got === expected, title, `got ${got}, expected ${expected}`)
}

function parameter(word) {
  const [, kind, value] = /^([a-z]+):?(.*)$/.exec(word)
  return { null: null, text: value, int: Number(value), list: value === '' ? [] : value.split(',') }[kind]
}

// Runs the queries for the driver; ask(query, parameters) returns the first column of the first row.
export async function askCases(driver, ask) {
  let asked = 0
  for (const line of readFileSync(new URL('cases', import.meta.url), 'utf8').trimEnd().split('\n')) {
    if (line.startsWith('#')) continue
    const [drivers, title, query, words, expected] = line.split('|').map((field) => field.trim())
    const names = drivers.split(' ')
    const excepted = names[1] === 'but'
    if (names.includes(driver) ? excepted : names[0] !== 'all') continue
    const parameters = words === '' ? [] : words.split(' ').map(parameter)
    const got = await ask(query, parameters).then(String, (error) => `ERROR: ${error.message}`)
    const wanted = /^ERROR: (.*)/.exec(expected)
    point(wanted ? got.startsWith('ERROR: ') && got.includes(wanted[1]) : got === expected, title, `got ${got}, expected ${expected}`)
    asked++
  }
  point(asked > 25, 'the queries were run', `${asked}`)
}

export function finish() {
  console.log(`1..${points}`)
  process.exitCode = failures > 0 ? 1 : 0
}
