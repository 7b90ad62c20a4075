import { expect, it } from 'vitest'
import { decodeReferences } from './character-references.ts'

it('decodes numbers and common names, and leaves what it does not know', () => {
  expect(decodeReferences('a &amp;&lt;&#65;&#x1F600; &nbsp;&hellip;&eacute;&yuml;&zwj;&#9')).toBe(
    'a &<A😀 \u00a0…éÿ\u200d\t',
  )
  expect(decodeReferences('&unknown; & &; &#0; &#xD800; &#1114112; &amp')).toBe(
    '&unknown; & &; &#0; &#xD800; &#1114112; &amp',
  )
})

it('decodes once: what a reference stands for is no reference', () => {
  expect(decodeReferences('&amp;lt;')).toBe('&lt;')
})
