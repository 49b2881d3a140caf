import { Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconBellOff, IconBellRinging } from "@tabler/icons-react";
import { useState } from "react";

import type { DeliveryView, IncidentDetail, MuteView } from "../../api";
import { mutesQuery, useMute, useUnmute } from "../../api/quality";
import { useMayWrite } from "../../api/scope";
import { notify, notifyProblem, RelativeTime, StatusBadge } from "../../components";
import { FormDialog } from "../../components/FormDialog";
import { moment } from "../../format/numbers";

/** Who was told and whether it got there; and silence for a while. */
export function Alerts({ incident }: { incident: IncidentDetail }) {
  const mayWrite = useMayWrite();
  const [muting, setMuting] = useState(false);
  const { data } = useQuery(mutesQuery());
  const mutes = (data?.items ?? []).filter((mute) => mutesThis(mute, incident));
  return (
    <section className="panel quality-pad" aria-labelledby="alerts">
      <div className="sla-head">
        <h2 className="panel-title" id="alerts">
          Alerts
        </h2>
        {mayWrite && mutes.length === 0 && incident.status !== "resolved" && (
          <Button variant="subtle" size="compact-sm" leftSection={<IconBellOff size={15} aria-hidden />} onClick={() => setMuting(true)}>
            Mute…
          </Button>
        )}
      </div>
      {mutes.map((mute) => (
        <Muted key={mute.id} mute={mute} mayWrite={mayWrite} />
      ))}
      <Deliveries deliveries={incident.deliveries} />
      {muting && <Mute incident={incident} onClose={() => setMuting(false)} />}
    </section>
  );
}

/** A mute names a monitor, a check, a dataset, or several of them; what it does not name it does not ask for. */
export function mutesThis(mute: Pick<MuteView, "monitor_id" | "check_id" | "dataset">, incident: Pick<IncidentDetail, "monitor_id" | "check_id" | "table">): boolean {
  const fits = (named: string | null, own: string | null | undefined): boolean => named === null || named === own;
  return fits(mute.monitor_id, incident.monitor_id) && fits(mute.check_id, incident.check_id) && fits(mute.dataset, incident.table);
}

function Muted({ mute, mayWrite }: { mute: MuteView; mayWrite: boolean }) {
  const unmute = useUnmute();
  return (
    <Group gap="xs" mt="xs" wrap="nowrap">
      <Text size="sm" className="name" style={{ flex: 1 }}>
        Muted until {moment(mute.until)} UTC by {mute.by}
        {mute.reason !== "" && `: ${mute.reason}`}
      </Text>
      {mayWrite && (
        <Button variant="default" size="compact-sm" loading={unmute.isPending} onClick={() => unmute.mutate(mute.id, { onError: notifyProblem })}>
          Unmute
        </Button>
      )}
    </Group>
  );
}

const HOURS = [
  { value: "1", label: "for an hour" },
  { value: "8", label: "for 8 hours" },
  { value: "24", label: "for a day" },
  { value: "168", label: "for a week" },
];

function Mute({ incident, onClose }: { incident: IncidentDetail; onClose: () => void }) {
  const mute = useMute();
  const [hours, setHours] = useState("8");
  const [reason, setReason] = useState("");
  const send = (): void =>
    mute.mutate(
      { check_id: incident.check_id, dataset: incident.table, hours: Number(hours), reason: reason.trim() },
      {
        onSuccess: () => {
          notify("good", "It is muted", "It is still checked, and the incident goes on.");
          onClose();
        },
      },
    );
  return (
    <FormDialog title="Mute this check" submit="Mute it" busy={mute.isPending} error={mute.error} onSubmit={send} onClose={onClose}>
      <Text size="sm">Nobody is told about it until then. It is checked as before, and what happens stands in the timeline.</Text>
      <NativeSelect data-autofocus label="How long" data={HOURS} value={hours} onChange={(event) => setHours(event.currentTarget.value)} />
      <TextInput label="Why" description="May be left out" maxLength={1000} value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
    </FormDialog>
  );
}

function Deliveries({ deliveries }: { deliveries: readonly DeliveryView[] }) {
  if (deliveries.length === 0) {
    return (
      <p className="quality-quiet">
        Nobody was told. Channels are named by the monitor; those of runs by <code>alerts.runs</code> in <code>forge.yaml</code>.
      </p>
    );
  }
  return (
    <ul className="deliveries">
      {deliveries.map((one) => (
        <li key={one.id}>
          <IconBellRinging size={16} aria-hidden />
          <span className="name">
            {one.channel} <span className="quality-quiet">{one.type ?? "no longer in forge.yaml"}</span>
          </span>
          <StatusBadge word={one.state} title={one.attempts.at(-1)?.detail} />
          <span className="quality-quiet deliveries-when">
            <Stand one={one} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Stand({ one }: { one: DeliveryView }) {
  if (one.sent_at !== null) {
    return (
      <>
        {one.kind}, <RelativeTime time={one.sent_at} />
      </>
    );
  }
  if (one.reason !== "") return one.reason;
  if (one.next_try_at === null) return one.kind;
  return (
    <>
      {one.attempts.length === 0 ? "goes out" : "next try"} <RelativeTime time={one.next_try_at} />
    </>
  );
}
