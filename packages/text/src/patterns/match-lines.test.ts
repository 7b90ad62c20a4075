import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchChain } from './match-lines.ts'
import { parseSearchPattern } from './search-pattern.ts'

it.each([
  ['ERROR.*timeout', ['ERROR', 'timeout']],
  ['(a).*?(?:bc).*d', ['a', 'bc', 'd']],
  ['a\\.b.*\\(c\\)', ['a.b', '(c)']],
  ['ab', undefined],
  ['a.+b', undefined],
  ['.*b', undefined],
  ['a.*', undefined],
  ['a.*b|c', undefined],
  ['^a.*b', undefined],
  ['a.*[bc]', undefined],
])('%s requires %j in this order', (source, expected) => {
  expect(parseSearchPattern(source, { ignoreCase: false }).chain?.map(({ text }) => text)).toEqual(expected)
  const lower = parseSearchPattern(source, { ignoreCase: true }).chain?.map(({ text }) => text)
  expect(lower).toEqual(expected?.map((text) => text.toLowerCase()))
})

it('matchLines leaves strings beyond ASCII to the expression if case is ignored', () => {
  expect(parseSearchPattern('é.*x', { ignoreCase: true }).chain).toBeUndefined()
  expect(parseSearchPattern('é.*x', { ignoreCase: false }).chain).toHaveLength(2)
})

it('matchLines finds the matches of the expression', () => {
  const links = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'ab', 'ba', 'aa'), fc.constantFrom('.*', '.*?')), {
    minLength: 2,
    maxLength: 4,
  })
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 14 }).map((letters) => letters.join(''))
  fc.assert(
    fc.property(links, lines, fc.nat(3), (parts, line, from) => {
      const source = parts.map(([text, gap], index) => (index === 0 ? text : gap + text)).join('')
      const { chain } = parseSearchPattern(source, { ignoreCase: false })
      const regex = new RegExp(source, 'gs')
      regex.lastIndex = from
      const match = regex.exec(line)
      const expected = match === null ? undefined : { start: match.index, end: match.index + match[0].length }
      expect(matchChain(line, chain!, from), `${source} in ${line}`).toEqual(expected)
    }),
    propertyRuns(1_670, 50_000),
  )
})
