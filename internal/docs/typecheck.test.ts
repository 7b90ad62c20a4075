/**
 * Type-checks examples as one program. Under the task graph, the examples of a package compile with its tests instead:
 * see write-examples.ts.
 */
import { expect, it } from 'vitest'
import { checkedExamples, collectExamples, renameInMessage } from './collect-examples.ts'
import { typecheckExamples } from './run-example.ts'

it('examples type-check', async () => {
  const examples = checkedExamples(collectExamples({ of: process.env['SPILLWAY_DOCS_OF'], purpose: 'typecheck' }))
  const { exitCode, output } = await typecheckExamples(examples)
  expect(exitCode, renameInMessage(output, examples)).toBe(0)
})
