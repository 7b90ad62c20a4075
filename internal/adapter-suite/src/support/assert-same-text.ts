import assert from 'node:assert/strict'

const AROUND = 100

/** Require equal texts. The error shows only the first difference, because a whole prompt is too long to read. */
export function assertSameText(actual: string, expected: string, what: string): void {
  if (actual === expected) return
  let start = 0
  while (start < Math.min(actual.length, expected.length) && actual[start] === expected[start]) start += 1
  const excerpt = (text: string): string => JSON.stringify(text.slice(Math.max(0, start - AROUND), start + AROUND))
  assert.fail(
    `${what}; they part at character ${start} (${actual.length} characters instead of ${expected.length}).\n` +
      `  expected: …${excerpt(expected)}…\n  got:      …${excerpt(actual)}…`,
  )
}
