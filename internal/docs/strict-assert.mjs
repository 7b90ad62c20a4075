/** Loaded before an example: makes a `console.assert` that does not hold an error, where Node.js only prints a line. */
console.assert = (holds, ...message) => {
  if (!holds) throw new Error(`Assertion failed: ${message.join(' ')}`)
}
