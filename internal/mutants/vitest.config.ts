/** The workspace's tests, each in a process of its own, and telling the processes that it starts which file they belong to. */
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
