import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { currentCommit } from '../current-commit.ts'
import { contextModeSystem } from './context-mode-system.ts'
import { deepagentsSystem } from './deepagents-system.ts'
import { shellSystems } from './shell-system.ts'
import { spillwaySystem, type SpillwaySystemOptions } from './spillway-system.ts'
import { strandsSystem } from './strands-system.ts'
import { inlineSession, type System } from './system.ts'

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** The name of the system with which others are compared. */
export const BASELINE = 'Spillway'

const ABLATIONS: readonly SpillwaySystemOptions[] = [
  { name: 'Spillway, preview of 300', previewTokens: 300 },
  { name: 'Spillway, preview of 500', previewTokens: 500 },
  { name: 'Spillway, preview of 1,500', previewTokens: 1_500 },
  { name: 'Spillway, head as preview', headPreview: true },
  { name: 'Spillway, no tool', withTool: false },
]

/** Spillway with its defaults, with other settings, and without one of its parts. */
export const ablations = (): readonly System[] =>
  [{}, ...ABLATIONS].map((options) => spillwaySystem(currentCommit(), options))

/** Return all systems, ours first. Systems that need a question or JSON are optional. */
export function allSystems({ forQuestions = true } = {}): readonly System[] {
  const strands = installedVersion('@strands-agents/sdk')
  const deepagents = installedVersion('deepagents')
  return [
    spillwaySystem(currentCommit()),
    strandsSystem(strands),
    ...(forQuestions ? [strandsSystem(strands, { asJson: true }), ...contextModeSystem()] : []),
    deepagentsSystem(deepagents),
    deepagentsSystem(deepagents, 2_500),
    ...shellSystems,
    {
      name: 'whole result',
      version: 'nothing is kept',
      emulated: false,
      takes: () => true,
      open: ({ text }) => Promise.resolve(inlineSession(text)),
    },
  ]
}

function installedVersion(name: string): string {
  return (JSON.parse(readFileSync(`${MODULES}/${name}/package.json`, 'utf8')) as { readonly version: string }).version
}
