"""Which entries are the paper's methods: read from keys, never from names."""

from studies import ELM, LINEAR, study

from mccvc.report.roles import roles_of

MADE_UP = {name: f"entry-{i}" for i, name in enumerate(LINEAR)}


def test_usual_entries_play_their_roles():
    of = study()
    assert roles_of(of["linear"]).entries == {name: name for name in LINEAR}
    assert roles_of(of["elm"]).entries == {name: name for name in ELM}


def test_made_up_names_play_the_same_roles():
    of = study(linear={MADE_UP[name]: method for name, method in LINEAR.items()})
    assert roles_of(of["linear"]).entries == MADE_UP


def test_a_usual_name_that_computes_something_else_plays_no_role():
    of = study(
        linear={"mcc": {"criterion": "mmse"}, "other": {"criterion": "mcc", "sigma": [1.0]}},
        elm={
            "relm": {"estimator": "sklearn.linear_model.Ridge", "features": "hidden"},
            "elm-rcc": {"criterion": "mcc", "sigma": [0.1], "direct": True},
            "x": {"criterion": "mcc-vc", "widths": [0.1], "centers": "mean"},
        },
    )
    assert roles_of(of["linear"]).entries == {"mmse": "mcc", "mcc": "other"}
    assert roles_of(of["elm"]).entries == {"elm-mcc-vc": "x"}


def test_of_several_the_usual_name_wins_then_the_first():
    fine, coarse = {"criterion": "mcc", "sigma": [1.0]}, {"criterion": "mcc", "sigma": [9.0]}
    both = study(linear={"mcc-fine": fine, "mcc": coarse})
    assert roles_of(both["linear"]).entries == {"mcc": "mcc"}
    made_up = study(linear={"fine": fine, "coarse": coarse})
    assert roles_of(made_up["linear"]).entries == {"mcc": "fine"}


def test_pairs_put_the_papers_method_first():
    roles = roles_of(study()["elm"])
    assert roles.lead == "elm-mcc-vc"
    assert roles.pairs() == [
        ("elm-mcc-vc", "relm"),
        ("elm-mcc-vc", "elm-rcc"),
        ("relm", "elm-rcc"),
    ]
    others = {"x": {"criterion": "huber"}, "relm": ELM["relm"], "y": {"criterion": "lad"}}
    roles = roles_of(study(elm=others)["elm"])
    assert roles.lead == "x"
    assert roles.pairs() == [("x", "relm"), ("x", "y")]
