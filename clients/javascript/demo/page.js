// Downloads a filter once, and then tests what one types without asking the server.
import { Filter } from 'cuckoo-filter-client'

const input = document.querySelector('#key')
const answer = document.querySelector('#answer')
const about = document.querySelector('#about')

/** The text typed, as a value of the filter's kind. */
function valueOf(text, kind) {
  return kind === 'integer' ? BigInt(text) : text
}

function show(filter) {
  const key = input.value

  answer.className = ''
  answer.textContent = ''
  if (key === '') return
  try {
    const found = filter.contains(valueOf(key, filter.kind))
    answer.className = found ? 'yes' : 'no'
    answer.textContent = found ? `${key} is probably taken` : `${key} is free`
  } catch (error) {
    answer.textContent = error.message
  }
}

try {
  const response = await fetch('/filter')
  if (!response.ok) throw new Error(`the filter cannot be downloaded: ${response.status}`)
  const text = await response.text()
  const start = performance.now()
  const filter = new Filter(text)
  const milliseconds = Math.ceil(performance.now() - start)

  about.textContent = `A ${filter.type} of ${filter.kind}` +
    ` with room for ${filter.capacity.toLocaleString('en')} values:` +
    ` ${text.length.toLocaleString('en')} characters, checked in ${milliseconds} ms. At most` +
    ` ${filter.rate * 100}% of the free names are reported as taken; a taken one is never reported as free.`
  input.addEventListener('input', () => show(filter))
  input.disabled = false
  input.focus()
  show(filter)
} catch (error) {
  about.textContent = `${error.name}: ${error.message}`
}
