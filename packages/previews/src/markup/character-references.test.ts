import { expect, it } from 'vitest'
import { decodeReferences } from './character-references.ts'

it('character references decode numbers and common names, and leave unknown names unchanged', () => {
  expect(decodeReferences('a &amp;&lt;&#65;&#x1F600; &nbsp;&hellip;&eacute;&yuml;&zwj;&#9')).toBe(
    'a &<A😀 \u00a0…éÿ\u200d\t',
  )
  expect(decodeReferences('&unknown; & &; &#0; &#xD800; &#1114112; &amp')).toBe(
    '&unknown; & &; &#0; &#xD800; &#1114112; &amp',
  )
})

it('character references are decoded only once', () => {
  expect(decodeReferences('&amp;lt;')).toBe('&lt;')
})
