import { expect, test } from 'vitest'
import { detach } from './detach.ts'

test.each(['', 'short', 'a text of more than thirteen units', '\u{1F69A}'.repeat(20), '\ud83d'])(
  'detach returns the same text: %j',
  (text) => {
    expect(detach(text)).toBe(text)
  },
)
