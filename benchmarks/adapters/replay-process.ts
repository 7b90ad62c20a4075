/** Runs rounds of the conversation that a file with a `ReplayTask` describes, and prints the result as JSON. */
import { readFileSync } from 'node:fs'
import { ContextOffloader } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { retrieveInRounds, type SeenPrompt } from './conversation.ts'
import { generateLog } from '../report/generate-log.ts'
import type { ReplayTask } from './replay.ts'
import { WAYS } from './replay-ways.ts'

const { way, directory, logBytes, rounds, past } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ReplayTask
const log = generateLog(logBytes)
const offloader = new ContextOffloader({ storage: new FileStorage(directory) }).forScope('session-1')
const converse = WAYS[way](offloader)
const prompts: SeenPrompt[] = []
let history: readonly unknown[] = past
for (const script of rounds.map((round) => retrieveInRounds[round]))
  if (script !== undefined) {
    const conversation = await converse(log, script, history)
    prompts.push(...conversation.prompts)
    history = JSON.parse(JSON.stringify(conversation.history)) as readonly unknown[]
  }
console.log(JSON.stringify({ prompts, history }))
