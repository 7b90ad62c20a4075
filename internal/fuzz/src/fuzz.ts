/** Tries inputs of one kind, or all: `node internal/fuzz/src/fuzz.ts sessions 5000 [seed]`. Exits with 1 on failure. */
import { inspect } from 'node:util'
import fc from 'fast-check'
import { conversations, runConversation } from './messages.ts'
import { requests, runRequests } from './requests.ts'
import { runSession, sessions } from './sessions.ts'
import { runSettings, settings } from './settings.ts'

/** Memory limit. Inputs have up to some megabytes, and workers have separate memory. */
const MAX_RESIDENT_MB = 1_024

const TARGETS: Readonly<Record<string, fc.IRawProperty<unknown>>> = {
  sessions: fc.asyncProperty(sessions, runSession),
  requests: fc.asyncProperty(requests, runRequests),
  messages: fc.asyncProperty(conversations, runConversation),
  settings: fc.asyncProperty(settings, runSettings),
}

const [name = 'all', runs = '100', seed = `${Date.now() % 2 ** 31}`] = process.argv.slice(2)
for (const [kind, target] of Object.entries(TARGETS)) {
  if (name !== kind && name !== 'all') continue
  const details = await fc.check(target, { numRuns: Number(runs), seed: Number(seed), endOnFailure: true })
  console.log(`${kind}: ${details.numRuns} runs with the seed ${seed}`)
  if (!details.failed) continue
  console.error(`${kind} fail, at ${details.counterexamplePath}:`, details.errorInstance)
  console.error(inspect(details.counterexample, { depth: 8, maxStringLength: 2_000, maxArrayLength: 20 }))
  process.exitCode = 1
}
const { maxRSS } = process.resourceUsage()
console.log(`${Math.round(maxRSS / 1_024)} MB`)
if (maxRSS / 1_024 > MAX_RESIDENT_MB) throw new Error(`The process used more than ${MAX_RESIDENT_MB} MB of memory.`)
