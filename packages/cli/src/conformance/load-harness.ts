import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ConformanceHarness } from '@spillway/core/conformance'
import { usageError } from '../cli-error.ts'

const SHAPE = '{ name, create: async () => ({ storage }) }'

/**
 * Load the harness that a module exports: the one named, else `harness`, else its default, else the only one there is.
 *
 * Throws a {@link CliError} `usage` that says what to change, also where the module itself throws.
 */
export async function loadHarness(path: string, name?: string): Promise<ConformanceHarness> {
  const file = resolve(path)
  if (!existsSync(file)) throw usageError(`${path}: no such file.`)
  if (statSync(file).isDirectory()) throw usageError(`${path} is a directory: name the module that exports a harness.`)
  const exported = await importModule(file, path)
  if (name !== undefined) {
    if (Object.hasOwn(exported, name)) return exported[name] as ConformanceHarness
    throw usageError(`${path} does not export ${name}. It exports ${listed(Object.keys(exported))}.`)
  }
  const usual = exported['harness'] ?? exported['default']
  if (usual !== undefined) return usual as ConformanceHarness
  const [only, ...more] = Object.keys(exported).filter((each) => looksLikeHarness(exported[each]))
  if (only === undefined) {
    throw usageError(
      `${path} exports no harness, but ${listed(Object.keys(exported))}. Export ${SHAPE} as its default or as \`harness\`.`,
    )
  }
  if (more.length > 0) {
    const names = [only, ...more]
    throw usageError(`${path} exports several harnesses: ${listed(names)}. Choose one with --harness ${only}.`)
  }
  return exported[only] as ConformanceHarness
}

async function importModule(file: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw usageError(`${path} cannot be loaded: ${reasonOf(cause)}`, { cause })
  }
}

function reasonOf(error: unknown): string {
  switch ((Object(error) as NodeJS.ErrnoException).code) {
    case 'ERR_UNKNOWN_FILE_EXTENSION':
      return 'TypeScript needs Node.js 22.18 or later. Compile it, or update.'
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return `${sentence(error)} Node.js only strips types: write what needs compiling another way, or compile it.`
    default:
      return sentence(error)
  }
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.endsWith('.') ? text : `${text}.`
}

const looksLikeHarness = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as Partial<ConformanceHarness>).create === 'function'

const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '))
