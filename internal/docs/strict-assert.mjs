/** Loaded before an example: a failed `console.assert` throws an error. In Node.js, it would only print a line. */
console.assert = (holds, ...message) => {
  if (!holds) throw new Error(`Assertion failed: ${message.join(' ')}`)
}
