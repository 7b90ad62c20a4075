/** Names the test file that runs, and its project, to the processes that it starts. */
interface Worker {
  readonly filepath?: string
  readonly config?: { readonly name?: string }
}

const { filepath = '', config } = (globalThis as { __vitest_worker__?: Worker }).__vitest_worker__ ?? {}
process.env['SPILLWAY_TEST_FILE'] = `${config?.name ?? ''}\t${filepath}`
