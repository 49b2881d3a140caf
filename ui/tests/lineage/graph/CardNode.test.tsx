import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { ReactFlowProvider, type NodeProps } from "@xyflow/react";
import { expect, it } from "vitest";

import { CardNode, type CardNodeType } from "../../../src/lineage/graph/CardNode";
import { layOut } from "../../../src/lineage/graph/layout";
import { edge, graphOf } from "../../fixtures/lineage";

const LONG = "s3://landing-zone/exports/of/another/system/customer_relationship_snapshots_of_every_single_day.parquet";

it("a card of something without a page has its whole name at hand, whatever is cut", () => {
  const graph = graphOf("core.orders", [edge(LONG, "core.orders")], { level: "table" }, { [LONG]: { in_catalog: false } });
  const card = layOut(graph).cards.find((one) => one.table === LONG);
  if (card === undefined) throw new Error("The card is not in the picture");
  const nothing = (): void => undefined;
  const data = { card, root: "core.orders", bad: new Set<string>(), origin: undefined, spared: new Set<string>(), at: undefined, onColumn: nothing, onColumns: nothing, onNear: nothing };
  render(
    <MantineProvider env="test">
      <ReactFlowProvider>
        <CardNode {...({ id: LONG, data } as unknown as NodeProps<CardNodeType>)} />
      </ReactFlowProvider>
    </MantineProvider>,
  );
  const name = screen.getByRole("button", { name: LONG });
  expect(name).toHaveAttribute("title", LONG);
  // Only a box of its own can end in an ellipsis.
  expect(name.querySelector(".card-plain-name")).toHaveTextContent(card.name);
});
