// The geometry that the extension gives a Bloom layer, by the formulas of docs/format.md of cuckoo_filter.

const LN_2 = 0.69314718055994530942
const BLOCK_BITS = 512
const WORD_BITS = 64
const SMALL_BITS = 8192
const MOST_PROBES = 32
const LOAD_STEPS = 256

/** The geometry of a layer of this capacity at this rate. Throws RangeError if it would be too large. */
export function chooseGeometry(capacity, rate) {
  const values = capacity + Math.max(0, Math.ceil(capacity + 0.5 * Math.sqrt(capacity) + 1 - 1.005 * capacity))
  const small = values <= SMALL_BITS ? oneBlock(values, rate) : null
  if (small) return small
  const { load, probes } = largestLoad(rate)
  const blocks = Math.max(2, Math.ceil(values * LOAD_STEPS / load))
  if (blocks >= 2 ** 32) throw new RangeError('the filter would be too large')
  return { count: blocks, size: BLOCK_BITS, width: probes }
}

/** Not `**`: the order of the multiplications determines the last bits. */
function power(base, exponent) {
  let result = 1
  for (; exponent > 0; exponent = Math.floor(exponent / 2), base *= base) {
    if (exponent % 2 === 1) result *= base
  }
  return result
}

function blockRate(bits, probes, oneClear, twoClear) {
  const fraction = 1 - oneClear
  if (fraction <= 0) return 0
  const variance = Math.max(0, (twoClear * (bits - 1) + oneClear) / bits - oneClear * oneClear)
  return power(fraction, probes) * (1 + 0.5 * probes * (probes - 1) * variance / (fraction * fraction))
}

function oneBlock(values, rate) {
  const most = SMALL_BITS / WORD_BITS
  const textbook = -Math.log(rate) / (LN_2 * LN_2) * values / WORD_BITS
  for (let words = textbook < most ? Math.floor(textbook) + 1 : most; words <= most; words++) {
    const best = bestProbes(words * WORD_BITS, values, rate)
    if (best.rate <= rate) return { count: 1, size: words * WORD_BITS, width: best.probes }
  }
  return null
}

function bestProbes(bits, values, wanted) {
  const ideal = Math.min(bits / values * LN_2, Math.ceil(-Math.log(wanted) / LN_2))
  const oneClear = power(1 - 1 / bits, values)
  const twoClear = power(1 - 2 / bits, values)
  const first = ideal >= MOST_PROBES ? MOST_PROBES - 1 : Math.floor(ideal)
  const best = { rate: 2, probes: 0 }
  for (let probes = Math.max(1, first - 1); probes <= first + 1 && probes <= MOST_PROBES; probes++) {
    const rate = Math.min(1, blockRate(bits, probes, power(oneClear, probes), power(twoClear, probes)))
    if (rate < best.rate) Object.assign(best, { rate, probes })
  }
  return best
}

/** The false positive rate of many blocks with `load` values each on average. */
function rateAtLoad(probes, load) {
  if (load > 600) return 1
  const oneClear = power(1 - 1 / BLOCK_BITS, probes)
  const twoClear = power(1 - 2 / BLOCK_BITS, probes)
  const last = load + 16 * Math.sqrt(load) + 40
  let chance = Math.exp(-load)
  let one = 1
  let two = 1
  let sum = 0
  for (let inBlock = 0; inBlock <= last; inBlock++) {
    sum += chance * blockRate(BLOCK_BITS, probes, one, two)
    chance *= load / (inBlock + 1)
    one *= oneClear
    two *= twoClear
  }
  return Math.min(1, sum)
}

/** The largest load of blocks that keeps within the rate, in steps, and its number of probes. */
function largestLoad(rate) {
  const textbook = -Math.log(rate) / LN_2
  const best = { load: 0, probes: 1 }
  const most = Math.min(MOST_PROBES, textbook + 2)
  for (let probes = textbook < 4 ? 1 : Math.floor(textbook * 0.4); probes <= most; probes++) {
    if (rateAtLoad(probes, (best.load + 1) / LOAD_STEPS) > rate) continue
    let low = best.load
    let high = BLOCK_BITS * LOAD_STEPS
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (rateAtLoad(probes, middle / LOAD_STEPS) > rate) high = middle
      else low = middle
    }
    Object.assign(best, { load: low, probes })
  }
  return { load: Math.max(1, best.load), probes: best.probes }
}
