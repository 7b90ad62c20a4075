import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseResourceUri, referenceUri, RESOURCE_TEMPLATE } from './resource-uri.ts'

describe('resource URIs', () => {
  it('lead back to the reference', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '_', '9', '/', '?', '#', '%', ' ', '&', 'é', '👩') })
    fc.assert(
      fc.property(text, (reference) => {
        expect(parseResourceUri(referenceUri(reference))).toEqual({ reference, call: undefined })
        expect(URL.canParse(referenceUri(reference))).toBe(true)
      }),
    )
  })

  it.each([
    ['pattern=a%7Cb', { pattern: 'a|b', line_range: undefined }],
    ['pattern=a+b', { pattern: 'a b', line_range: undefined }],
    ['lines=10-20', { pattern: undefined, line_range: { start: 10, end: 20 } }],
    ['lines=10:20&pattern=x', { pattern: 'x', line_range: { start: 10, end: 20 } }],
  ])('ask for a part by %s', (query, call) => {
    const uri = `${referenceUri('log_1')}?${query}`
    expect(parseResourceUri(uri)).toEqual({ reference: 'log_1', call: { reference: 'log_1', ...call } })
  })

  it.each(['', '?', '?lines=all', '?lines=1', '?other=1'])('ask for the whole with the query %j', (query) => {
    expect(parseResourceUri(`${referenceUri('log_1')}${query}`)).toEqual({ reference: 'log_1', call: undefined })
  })

  it('are no others', () => {
    for (const uri of ['file:///a', 'spillway:/a', 'SPILLWAY:///a', 'spillway:///%zz', '', undefined, 7, {}])
      expect(parseResourceUri(uri)).toBeUndefined()
  })

  it('are what the template expands to', () => {
    expect(RESOURCE_TEMPLATE.replace(/\{.*/, 'log_1')).toBe(referenceUri('log_1'))
  })
})
