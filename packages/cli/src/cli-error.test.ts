import { expect, test } from 'vitest'
import { StorageError } from '@spillway/core'
import { errorJson, inOptionNames, inStoreOptions } from './cli-error.ts'

test.each([
  [
    'previewTokens (9) must be less than maxResultTokens (5).',
    '--preview-tokens (9) must be less than --max-tokens (5).',
  ],
  ['line_range.start (9) is beyond the end.', '--lines (9) is beyond the end.'],
  ['after cannot be used with line_range. Without:', '--after cannot be used with --lines. Without:'],
  [
    'after and from_end cannot be used with query. Without:',
    '--after and --from-end cannot be used with --query. Without:',
  ],
  [
    'query and sql cannot be used together: one call takes one. With query:',
    '--query and --sql cannot be used together: one call takes one. With --query:',
  ],
  [
    'pattern and json_path cannot be used together: use only one of them in a call. With pattern:',
    '--pattern and --json-path cannot be used together: use only one of them in a call. With --pattern:',
  ],
  ['A query after another query.', 'A query after another query.'],
])('a command line error of %j is written as %j', (message, written) => {
  expect(inOptionNames(message)).toBe(written)
})

test('a store failure names options of the command line, and keeps paths unchanged', () => {
  expect(inStoreOptions('/line_range is full: choose another with the option "directory".')).toBe(
    '/line_range is full: choose another with --store or SPILLWAY_STORE.',
  )
})

test('an error in JSON has the URL of the page for its code, like an error of a store', () => {
  const error = new StorageError('corrupt', 'The entry cannot be read.')
  expect(errorJson(error)).toEqual({ code: 'corrupt', message: 'The entry cannot be read.', help: error.help })
  expect(errorJson(new Error('A fault.')).help).toMatch(/#internal$/)
})
