/** Checks examples and exported names of the package in the current folder; here, also the root's documents. */
import { rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, relative } from 'node:path'
import { setup } from '../services/src/vitest.ts'
import { COMPILE_CACHE } from '../test-run/src/test-run.ts'
import { checkExamples } from './check-examples.ts'
import { checkNames } from './check-names.ts'
import { checkReadmes } from './check-readmes.ts'
import { Checks } from './checks.ts'

const FOLDER = process.cwd()
const REPORT = join(FOLDER, '.reports/docs.json')
const isOwn = FOLDER === import.meta.dirname
const of = isOwn ? '.' : relative(join(import.meta.dirname, '../..'), FOLDER).replaceAll('\\', '/')

// The report is missing if the checks are aborted.
rmSync(REPORT, { force: true })
enableCompileCache(COMPILE_CACHE)
const stopServices = await setup()
const checks = new Checks()
await checkNames(checks, of)
await checkReadmes(checks, of)
await checkExamples(checks, of)
if (isOwn) await (await import('./check-written.ts')).checkWritten(checks)
await stopServices()
checks.finish(REPORT)
