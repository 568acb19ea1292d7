// Measures lookups, beside those in a Set: nanoseconds of CPU time per value, the median of the rounds.
//
//   node benchmark.js [values] [rounds]
import { BloomFilterBuilder, Filter } from './src/index.js'

const [count = 1000000, rounds = 5] = process.argv.slice(2).map(Number)

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}

for (const [kind, make] of [['integer', i => i * 7919], ['text', i => `user${i}@example.com`]]) {
  const [present, absent] = [0, count].map(start => Array.from({ length: count }, (_, i) => make(start + i)))
  const builder = new BloomFilterBuilder({ capacity: count, kind })
  builder.addAll(present)
  const filter = new Filter(builder.toBytes())
  const measured = new Map()

  for (let round = 0; round < rounds; round++) {
    const set = new Set(present)
    for (const [name, values] of [['present', present], ['absent', absent]]) {
      for (const [what, test] of [['set', value => set.has(value)], ['one by one', value => filter.contains(value)]]) {
        const start = process.cpuUsage()
        let found = 0
        for (const value of values) found += test(value)
        const key = `${name} ${what}`
        const time = process.cpuUsage(start).user * 1000 / count
        if (found < (name === 'present' ? count : 0)) throw new Error('a value is missing')
        measured.set(key, [...(measured.get(key) ?? []), time])
      }
    }
  }
  for (const [key, times] of measured) {
    const base = measured.get(`${key.split(' ')[0]} set`)
    const ratio = median(times.map((time, i) => time / base[i]))
    console.log(`${kind.padEnd(8)} ${key.padEnd(20)} ${median(times).toFixed(0).padStart(6)} ns ${ratio.toFixed(1)} sets`)
  }
}
