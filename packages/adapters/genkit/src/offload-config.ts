import { z } from 'genkit'

/** The config of the middleware in `use`. */
export interface OffloadConfig {
  /** Segments of the scope, such as the ids of a user and a chat. Defaults to the id of the session, if any. */
  readonly scope?: readonly string[] | undefined
}

export const configSchema: z.ZodType<OffloadConfig> = z.strictObject({
  scope: z.array(z.string()).optional().describe('Segments of the scope in which results are stored.'),
})

/** Throws for an invalid config, because Genkit does not check it. */
export function assertConfig(config: OffloadConfig = {}): void {
  const issue = configSchema.safeParse(config).error?.issues[0]
  if (issue !== undefined)
    throw new TypeError(`${issue.message} ${issue.path.join('.')}. Write offload({ scope: ['user-1', 'chat-1'] }).`)
}
