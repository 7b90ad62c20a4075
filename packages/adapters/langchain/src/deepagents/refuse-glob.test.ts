import fc from 'fast-check'
import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { rulesOver } from './deepagents-rules.ts'
import { refuseGlob } from './refuse-glob.ts'

it.each(['*', '**', '**/*.md', '/src/**/*.{ts,tsx}', '*error*', '[a-z]?.[!t]*', '{1..3}/*foo*/**/*.md', '!*.md'])(
  'lets %j be matched',
  (pattern) => expect(refuseGlob(pattern)).toBeUndefined(),
)

it.each([
  ['*a*a*a*a*a*a*b', 'too many wildcards'],
  ['{a,aa}{a,aa}{a,aa}{a,aa}{a,aa}{a,aa}{a,aa}b', 'too many wildcards'],
  ['[a]+[a]+[a]+[a]+[a]+[a]+[a]+b', 'has parentheses or repeats'],
  ['{a,aa}+b', 'has parentheses or repeats'],
  ['+(a|aa)+(a|aa)b', 'has parentheses or repeats'],
  ['(a|aa)+b', 'has parentheses or repeats'],
  ['a'.repeat(300), 'Shorten it'],
  [null, 'must be a text'],
  ['', 'must be a text'],
])('refuses %j, and says what to write', (pattern, why) => {
  expect(refuseGlob(pattern)).toContain(why)
})

it('lets no pattern be matched that would take long', () => {
  const long = ['a', 'ab', 'a/', 'a/a', '.a'].map((part) => `/${part.repeat(300)}`.replace(/\/+$/, ''))
  const file = { content: '', mimeType: 'text/plain', created_at: '', modified_at: '' }
  const files = Object.fromEntries(long.map((path) => [path, file]))
  const part = fc.constantFrom(
    '*',
    '**',
    'a',
    'b',
    '/',
    '{a,aa}',
    '{a,',
    '}',
    '[a]',
    '+',
    '?',
    '!',
    '.',
    '\\',
    ',',
    '@',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const pattern = parts.join('')
      if (refuseGlob(pattern) !== undefined) return
      const start = performance.now()
      rulesOver(files).glob(pattern, '/')
      expect(performance.now() - start).toBeLessThan(2_000)
    }),
    { numRuns: 500 },
  )
})
