import { expect, it } from "vitest";

import { commandsIn } from "../../src/components/CopyCommand";

it.each([
  ["Start it with `forge serve`; this page goes on.", ["forge serve"]],
  ["Make one that may write: forge token create NAME --scope write", ["forge token create NAME --scope write"]],
  ["Open the address that `forge serve` printed, or type `forge token create NAME`.", ["forge serve", "forge token create NAME"]],
  ["Wait a moment.", []],
  ["Give one: forge run … --start 2026-11-14 --end 2026-11-15", []],
  ["Type `forge run … --force`.", []],
  ["Run it too: forge run +core.orders", ["forge run +core.orders"]],
  ["Take another name, or delete it: forge branch delete fix/a", ["forge branch delete fix/a"]],
  ["forge doctor", ["forge doctor"]],
])("commands in “%s”", (text, commands) => expect(commandsIn(text)).toEqual(commands));
