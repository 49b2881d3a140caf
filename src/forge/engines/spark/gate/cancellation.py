"""Makes judged queries cancellable. Spark marks the tasks of a cancelled job and leaves it to them to check: scans and
shuffles do, but the inner loops of joins, generators, windows and lambdas do not, so that one cross join would keep its
cores for days after it was cancelled.

An optimizer rule inserts the check into those loops. It is made of Spark's own expressions, so that executors need
no class of ours; the rule itself is compiled by Janino and stays in the driver. A check costs a few nanoseconds a
row."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

_SOURCE = """
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.CreateMap;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.LambdaFunction;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.RaiseError;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.planning.ExtractSingleColumnNullAwareAntiJoin$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

public class ForgeCancellation extends Rule {
    private final Expression goesOn; // true, or an error where the task was told to stop

    public ForgeCancellation() {
        Class task = TaskContext.class;
        Seq none = seq(new ArrayList());
        Expression context =
            new StaticInvoke(task, new ObjectType(task), "get", none, none, true, true, true, Option.empty());
        Expression stopped = new Invoke(context, "isInterrupted", DataTypes.BooleanType, none, none, true, false, true);
        ArrayList words = new ArrayList();
        words.add(Literal$.MODULE$.apply("errorMessage"));
        words.add(Literal$.MODULE$.apply("The query was cancelled"));
        Expression why = new CreateMap(seq(words), false);
        Expression error = new RaiseError(Literal$.MODULE$.apply("USER_RAISED_EXCEPTION"), why, DataTypes.BooleanType);
        goesOn = new If(stopped, error, Literal$.MODULE$.apply(Boolean.TRUE));
    }

    /** Spark applies a rule until nothing changes: what has its look is left as it is. */
    public TreeNode apply(TreeNode plan) { return inPlan((LogicalPlan) plan); }

    private LogicalPlan inPlan(LogicalPlan plan) {
        if (plan instanceof Filter && ((Filter) plan).condition().equals(goesOn)) {
            ArrayList only = new ArrayList();
            only.add(below(((Filter) plan).child()));
            return (LogicalPlan) plan.withNewChildren(seq(only));
        }
        LogicalPlan made = below(plan);
        if (made instanceof Join) return inJoin((Join) made);
        return made instanceof Generate || made instanceof Window ? new Filter(goesOn, made) : made;
    }

    private LogicalPlan below(LogicalPlan plan) {
        ArrayList parts = new ArrayList();
        scala.collection.Iterator all = plan.children().iterator();
        while (all.hasNext()) parts.add(inPlan((LogicalPlan) all.next()));
        return (LogicalPlan) ((LogicalPlan) plan.withNewChildren(seq(parts))).mapExpressions(new AbstractFunction1() {
            public Object apply(Object one) { return inLambdas((Expression) one); }
        });
    }

    /** By pairs, before they are filtered. */
    private LogicalPlan inJoin(Join join) {
        Expression looks = goesOn;
        if (join.condition().isDefined()) {
            Expression condition = (Expression) join.condition().get();
            if (condition.equals(goesOn)) return join;
            if (condition instanceof And && ((And) condition).left().equals(goesOn)) return join;
            // Spark knows NOT IN by the shape of its condition, and then has no loop.
            if (ExtractSingleColumnNullAwareAntiJoin$.MODULE$.unapply(join).isDefined()) return join;
            looks = new And(goesOn, condition);
        }
        return new Join(join.left(), join.right(), join.joinType(), Option.apply(looks), join.hint());
    }

    private Expression inLambdas(Expression one) {
        ArrayList parts = new ArrayList();
        boolean isNew = false;
        scala.collection.Iterator all = one.children().iterator();
        while (all.hasNext()) {
            Expression part = (Expression) all.next();
            parts.add(inLambdas(part));
            isNew = isNew || parts.get(parts.size() - 1) != part;
        }
        Expression made = isNew ? (Expression) one.withNewChildren(seq(parts)) : one;
        if (!(made instanceof LambdaFunction)) return made;
        LambdaFunction lambda = (LambdaFunction) made;
        Expression body = lambda.function();
        if (body instanceof If && ((If) body).predicate().equals(goesOn)) return made;
        Expression never = Literal$.MODULE$.create(null, body.dataType());
        return new LambdaFunction(new If(goesOn, body, never), lambda.arguments(), lambda.hidden());
    }

    private static Seq seq(ArrayList items) { return CollectionConverters.asScala((List) items).toSeq(); }
}
"""


def add_cancellation_checks(session: SparkSession) -> None:
    """Applies to everything this session plans from now on."""
    jvm: Any = session._jvm
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(_SOURCE)
    rules = jvm.java.util.ArrayList()
    rules.add(compiler.getClassLoader().loadClass("ForgeCancellation").newInstance())
    set_rules = getattr(session._jsparkSession.experimental(), "extraOptimizations_$eq")
    set_rules(jvm.scala.jdk.javaapi.CollectionConverters.asScala(rules).toSeq())
