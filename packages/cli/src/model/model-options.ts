import type { Command } from 'commander'

export interface ModelOptions {
  readonly model?: string
  readonly modelBaseUrl?: string
}

export const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

export function addModelOptions(command: Command): Command {
  return command
    .option('--model <name>', 'the model that writes summaries, such as gpt-5-mini; without one nothing is summarised')
    .option(
      '--model-base-url <url>',
      `where it is: any API like OpenAI's chat completions (default: ${DEFAULT_BASE_URL}); ` +
        'its key is read from SPILLWAY_MODEL_API_KEY, or else OPENAI_API_KEY',
    )
}
