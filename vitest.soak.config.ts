/** The soaks at full length: `*.soak.test.ts`, which unit tests run with short counts where `SPILLWAY_SOAK` is not set. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'soak',
    include: ['packages/**/*.soak.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    env: { SPILLWAY_SOAK: '1' },
    globalSetup: ['internal/services/src/vitest.ts'],
    fileParallelism: false,
    testTimeout: 3_600_000,
  },
})
