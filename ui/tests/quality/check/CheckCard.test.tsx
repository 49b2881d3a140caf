import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";

import { CheckCard } from "../../../src/quality/check/CheckCard";
import type { Given } from "../../../src/quality/check/forms";
import { checkTypes } from "../../fixtures/checkTypes";

function card(given: Given, wrong: Record<string, string> = {}) {
  const onChange = vi.fn<(next: Given) => void>();
  render(
    <MantineProvider env="test">
      <CheckCard number={1} given={given} forms={checkTypes} columns={["id", "amount"]} wrong={wrong} onChange={onChange} onRemove={() => undefined} />
    </MantineProvider>,
  );
  return onChange;
}

describe("the form of a type that no file of the web app names", () => {
  it("has the fields, words and sentences that the server gives", () => {
    card({ type: "sorted", column: "id", strict: false }, { tolerated: "is a percentage from 0 to 100" });
    const group = within(screen.getByRole("group", { name: "Check 1" }));
    expect(group.getByText("Values of column stand in order.")).toBeVisible();
    expect(group.getByRole("combobox", { name: "Check 1" })).toHaveValue("sorted");
    expect(group.getByRole("combobox", { name: "Order" })).toHaveValue("rising");
    expect(within(group.getByRole("combobox", { name: "Order" })).getAllByRole("option").map((one) => one.textContent)).toEqual(["rising", "falling"]);
    expect(group.getByText("Which way.")).toBeVisible();
    expect(group.getByRole("checkbox", { name: "No two alike" })).not.toBeChecked();
    expect(group.getByLabelText("Tolerated")).toHaveAttribute("placeholder", "0");
    expect(group.getByText("is a percentage from 0 to 100")).toBeVisible();
    expect(group.getByLabelText("Limits")).toHaveAttribute("placeholder", "low: 1");
  });

  it("leaves out what is as usual", () => {
    const onChange = card({ type: "sorted", column: "id", strict: false, order: "falling" });
    fireEvent.click(screen.getByRole("checkbox", { name: "No two alike" }));
    expect(onChange).toHaveBeenLastCalledWith({ type: "sorted", column: "id", order: "falling" });
    fireEvent.change(screen.getByRole("combobox", { name: "Order" }), { target: { value: "rising" } });
    expect(onChange).toHaveBeenLastCalledWith({ type: "sorted", column: "id", strict: false });
    fireEvent.change(screen.getByLabelText("Tolerated"), { target: { value: "2.5%" } });
    expect(onChange).toHaveBeenLastCalledWith({ type: "sorted", column: "id", strict: false, order: "falling", tolerated: 2.5 });
  });

  it("can be chosen, and keeps what it has in common with the one before", () => {
    const onChange = card({ type: "range", column: "amount", min: 1, name: "in order" });
    fireEvent.change(screen.getByRole("combobox", { name: "Check 1" }), { target: { value: "sorted" } });
    expect(onChange).toHaveBeenLastCalledWith({ type: "sorted", column: "amount", name: "in order" });
  });
});

it("a check of a type that the server does not know is kept as it is", () => {
  card({ type: "unheard of", depth: 3 });
  expect(screen.getByText("The server has no form for its type. It is kept as it is.")).toBeVisible();
  expect(screen.getByText('{"type":"unheard of","depth":3}')).toBeVisible();
});
