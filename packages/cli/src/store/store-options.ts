import type { Command } from 'commander'
import { encodeScope } from '../option-parsers.ts'
import { quoteForShell } from '../output.ts'
import { backendOf } from './backends.ts'

export interface StoreOptions {
  readonly store: string
  /** The default store, found from the current folder. */
  readonly foundStore?: string
  readonly scope?: readonly string[]
  readonly json?: boolean
  readonly verbose?: boolean
}

/** Return whether the store exists only in memory. */
export const isEphemeral = ({ store }: Pick<StoreOptions, 'store'>): boolean => /^memory:/i.test(store)

/** Return options for a shell that select the same store and scope, without passwords and values of the environment. */
export function storeArguments(command: Command): string {
  const { store, scope } = command.opts<StoreOptions>()
  const words: string[] = []
  if (command.getOptionValueSource('store') === 'cli' && !hidesStore(command)) words.push('--store', store)
  if (command.getOptionValueSource('scope') === 'cli' && scope !== undefined) {
    words.push('--scope', encodeScope(scope))
  }
  return words.map((word) => ` ${quoteForShell(word)}`).join('')
}

/** Return whether the store URL has credentials that other commands must not see. */
export function hidesStore(command: Command): boolean {
  const { store } = command.opts<StoreOptions>()
  return command.getOptionValueSource('store') === 'cli' && redactUrl(store) !== store
}

const URL_PARTS = /^([a-z][a-z0-9+.-]*:)?([^?]*)(.*)$/is
/** Matches places without credentials: hosts or a bucket, each with an optional port, and an optional path. */
const PLAIN_PLACE = /^\/\/[\w.-]+(?::\d{1,5})?(?:,[\w.-]+(?::\d{1,5})?)*(?:\/[^:#]*)?$/
const PLAIN_PARAMETER =
  /^(?:(?:prefix|schema|sslmode|region|path-style|conditional-put)=[^@:]*|endpoint=https?:\/\/[\w.-]+(?::\d{1,5})?\/?)$/

/** Return a URL without credentials: if it may contain any, only its scheme and `…`. */
export function redactUrl(url: string): string {
  const [, scheme = '', place = '', query = ''] = URL_PARTS.exec(url) ?? []
  const isPath = isEphemeral({ store: url }) || backendOf(url).backend?.isLocal === true
  const isPlain = isPath ? isPlainPath(url.slice(scheme.length)) : isPlainPlace(scheme, place, query)
  return isPlain ? url : `${scheme}${place.startsWith('//') ? '//' : ''}…`
}

/** Return whether a path starts like `user:password@host`, or like a host. */
export const looksLikeCredentials = (path: string): boolean =>
  !/^[a-z]:[\\/]/i.test(path) && /^[/\\]{2}[^/]|^[/\\]*[^/\\]*:[^@]*@/.test(path)

/** Whether a path certainly has no credentials. Only an explicit path, such as `./a@b`, may contain an @. */
const isPlainPath = (path: string): boolean =>
  !looksLikeCredentials(path) && !/\?.*=/s.test(path) && (!path.includes('@') || /^(?:[a-z]:|\.{0,2})[\\/]/i.test(path))

/** Whether the part after `//` certainly has no credentials. Only S3 names may contain an @. */
function isPlainPlace(scheme: string, place: string, query: string): boolean {
  if (scheme === '') return !/[:@?]/.test(place + query)
  if (!PLAIN_PLACE.test(place) || (place.includes('@') && !/^s3:$/i.test(scheme))) return false
  return [...new URLSearchParams(query)].every((parameter) => PLAIN_PARAMETER.test(parameter.join('=')))
}
