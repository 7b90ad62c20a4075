import type { HistoryMode } from '@spillway/history'
import { z } from 'zod'
import { virtualPath } from '../files/file-record.ts'

/** Settings of `POST /context_offload`, with the names of its fields. `null` counts as absent. */
export interface ContextOffloadSettings {
  readonly context_manage_mode?: HistoryMode | null | undefined
  readonly max_total_tokens?: number | null | undefined
  readonly max_tool_message_tokens?: number | null | undefined
  readonly preview_char_length?: number | null | undefined
  readonly group_token_threshold?: number | null | undefined
  readonly compact_ratio_threshold?: number | null | undefined
  readonly keep_recent_count?: number | null | undefined
  /** A virtual folder in the caller's scope. */
  readonly store_dir?: string | null | undefined
}

/** Settings with defaults. The number of recent messages depends on the mode. */
export type CompleteSettings = Pick<ContextOffloadSettings, 'keep_recent_count'> & {
  readonly [Name in Exclude<keyof ContextOffloadSettings, 'keep_recent_count'>]-?: NonNullable<
    ContextOffloadSettings[Name]
  >
}

const DEFAULTS: CompleteSettings = {
  context_manage_mode: 'auto',
  max_total_tokens: 20_000,
  max_tool_message_tokens: 2_000,
  preview_char_length: 100,
  group_token_threshold: 0,
  compact_ratio_threshold: 0.75,
  store_dir: '',
}

/** Create the schema of the settings. The descriptions in it contain the defaults of the service. */
export function settingsSchema(defaults: ContextOffloadSettings = {}): z.ZodObject {
  const settings = withDefaults(defaults)
  const usually = (name: keyof CompleteSettings): string => `Defaults to ${settings[name]}.`
  const keep = settings.keep_recent_count
  return z.object({
    context_manage_mode: z
      .enum(['compact', 'compress', 'auto'])
      .nullish()
      .meta({ description: usually('context_manage_mode') }),
    max_total_tokens: z
      .number()
      .positive()
      .nullish()
      .meta({ description: usually('max_total_tokens') }),
    max_tool_message_tokens: z
      .number()
      .positive()
      .nullish()
      .meta({ description: usually('max_tool_message_tokens') }),
    preview_char_length: z
      .number()
      .min(0)
      .max(100_000)
      .nullish()
      .meta({ description: usually('preview_char_length') }),
    group_token_threshold: z
      .number()
      .nullish()
      .meta({ description: `Tokens of a summarized group; 0: one group. ${usually('group_token_threshold')}` }),
    compact_ratio_threshold: z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .meta({ description: usually('compact_ratio_threshold') }),
    keep_recent_count: z
      .number()
      .min(0)
      .nullish()
      .meta({ description: `Defaults to ${keep ?? '1 for compact, 2 for compress'}.` }),
    store_dir: z
      .string()
      .nullish()
      .meta({ description: `A virtual folder in the scope. Defaults to ${settings.store_dir || 'the workspace'}.` }),
  })
}

export function withDefaults(
  settings: ContextOffloadSettings,
  defaults: ContextOffloadSettings = {},
): CompleteSettings {
  const given = (some: object): object => Object.fromEntries(Object.entries(some).filter(([, value]) => value != null))
  return { ...DEFAULTS, ...given(defaults), ...given(settings) }
}

/** Validate defaults. @throws TypeError that names the setting. */
export function assertSettings(settings: ContextOffloadSettings): void {
  const { error } = settingsSchema().safeParse(settings)
  const [issue] = error?.issues ?? []
  if (issue !== undefined) throw new TypeError(`contextOffload.${issue.path.join('.')}: ${issue.message}`)
  try {
    virtualPath(settings.store_dir ?? '')
  } catch (cause) {
    throw new TypeError('contextOffload.store_dir must be a virtual folder, such as context_store.', { cause })
  }
}
