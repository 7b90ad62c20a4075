/** Tells processes that a test starts the running test file and its project, by an environment variable. */
interface Worker {
  readonly filepath?: string
  readonly config?: { readonly name?: string }
}

const { filepath = '', config } = (globalThis as { __vitest_worker__?: Worker }).__vitest_worker__ ?? {}
process.env['SPILLWAY_TEST_FILE'] = `${config?.name ?? ''}\t${filepath}`
