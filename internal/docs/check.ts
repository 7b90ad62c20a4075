/** Checks examples and exported names of the package in the current folder; here, also of the root's documents. */
import { join, relative } from 'node:path'
import { checkPackage } from '../test-run/src/check-package.ts'

const FOLDER = process.cwd()
const isOwn = FOLDER === import.meta.dirname

await checkPackage({
  project: 'internal/docs',
  tests: ['examples', 'exported-names', 'readme', ...(isOwn ? ['check-itself', 'http-api', 'option-tables'] : [])],
  env: { SPILLWAY_DOCS_OF: isOwn ? '.' : relative(join(import.meta.dirname, '../..'), FOLDER).replaceAll('\\', '/') },
  report: join(FOLDER, '.reports/docs.json'),
})
