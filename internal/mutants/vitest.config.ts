/** Runs each test file of the workspace in a separate process, whose child processes know the test file. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import workspace from '../../vitest.config.ts'

const { test = {} } = workspace

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...test,
    projects: (test.projects ?? []).map((project) =>
      typeof project === 'object' && 'test' in project
        ? {
            ...project,
            test: {
              ...project.test,
              isolate: true,
              setupFiles: [fileURLToPath(new URL('name-test-file.ts', import.meta.url))],
            },
          }
        : project,
    ),
  },
})
