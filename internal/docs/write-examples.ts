/**
 * Writes the examples of one package that must compile, for its type check, and prints their paths:
 * `node internal/docs/write-examples.ts packages/core`. They are in `internal/docs/.examples/typecheck/packages-core`.
 */
import { relative } from 'node:path'
import { checkedExamples, collectExamples } from './collect-examples.ts'

const [of] = process.argv.slice(2)
if (of === undefined) throw new Error('No package given. Give its path from the root, or "." for the documents there.')
for (const { path } of checkedExamples(collectExamples({ of, purpose: 'typecheck' })))
  console.log(relative(process.cwd(), path))
